#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""The last allowed cut falls behind the final item: does an empty piece follow?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    from more_itertools import split_after

    def cut(items, limit):
        return list(split_after(items, lambda item: item == 0, maxsplit=limit))

    assert cut([1, 0, 2], 1) == [[1, 0], [2]]
    assert cut([1, 0, 2, 0], -1) == [[1, 0], [2, 0]]  # without a limit there is no empty piece
    got = cut([1, 2, 0], 1)
    assert got[0] == [1, 2, 0], got
    return got == [[1, 2, 0], []]


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
