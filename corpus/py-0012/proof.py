#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""One entry grows and everything still fits: do the others stay?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import cachetools

    assert cachetools.__file__.startswith(root), "another copy was imported"

    def grown(cls, size: int) -> dict:
        cache = cls(maxsize=10, getsizeof=lambda value: value)
        cache["a"] = 4
        cache["b"] = 4
        cache["b"] = size
        assert cache["b"] == size and cache.currsize == sum(cache.values()) <= 10
        return dict(cache)

    for cls in (cachetools.LRUCache, cachetools.FIFOCache):
        assert grown(cls, 3) == {"a": 4, "b": 3}
        assert grown(cls, 7) == {"b": 7}  # this does not fit beside the other one
    return "a" not in grown(cachetools.LRUCache, 6) and "a" not in grown(cachetools.FIFOCache, 6)


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
