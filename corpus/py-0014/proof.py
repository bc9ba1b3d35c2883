#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A list that has grown into several inner ones is sorted, and gets an item before its start: do both work?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    from boltons.listutils import BarrelList

    assert sys.modules["boltons.listutils"].__file__.startswith(root), "another copy was imported"

    def several() -> BarrelList:
        made = BarrelList(range(60_000))
        made.insert(0, 60_000)
        assert len(made.lists) > 1 and len(made) == 60_001
        return made

    short = BarrelList([3, 1, 2])
    short.sort()
    short.insert(-9, 0)
    assert len(short.lists) == 1 and list(short) == [0, 1, 2, 3]
    long = several()
    long.insert(-1, -5)
    assert list(long)[-2:] == [-5, 59_999] and list(long)[:2] == [60_000, 0]

    wrong = []
    long = several()
    try:
        long.sort()
    except IndexError:
        assert len(long.lists) == 0  # and the content is gone
        wrong.append("b1")
    else:
        assert list(long) == list(range(60_001))
    long = several()
    try:
        long.insert(-100_000, -5)
    except IndexError:
        wrong.append("b2")
    else:
        assert long[0] == -5 and len(long) == 60_002
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
