#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""An entry is overwritten with a dead value, and a value has a size below zero: does the cache hold?

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

    wrong = []

    cache = cachetools.TLRUCache(maxsize=8, ttu=lambda key, value, now: now + value, timer=lambda: 100)
    cache["k"] = 50
    cache["k"] = 60
    assert cache["k"] == 60 and len(cache) == 1
    cache["new"] = -1  # expired from the start: never stored
    assert "new" not in cache and cache["k"] == 60
    cache["k"] = -1
    if cache.get("k") == 60:
        wrong.append("b1")

    cache = cachetools.LRUCache(maxsize=10, getsizeof=lambda value: value)
    for key in range(4):
        cache[key] = 5
    assert len(cache) == 2 and cache.currsize == 10
    cache.clear()
    try:
        cache["minus"] = -20
    except ValueError:
        pass
    else:
        for key in range(6):
            cache[key] = 5
        assert len(cache) == 7, cache  # 30 units of real content in a cache for 10
        wrong.append("b2")
    print("present:", " ".join(wrong) or "none")
    return bool(wrong)


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
