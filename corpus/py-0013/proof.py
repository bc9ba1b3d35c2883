#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""Ranges and positions of an indexed set, also after removals and far below zero: are they a list's?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    from boltons.setutils import IndexedSet

    assert sys.modules["boltons.setutils"].__file__.startswith(root), "another copy was imported"

    plain = IndexedSet("abcd")
    assert list(plain[1:3]) == ["b", "c"] and list(plain[-2:]) == ["c", "d"] and list(plain[1:9]) == ["b", "c", "d"]
    assert plain[0] == "a" and plain[-1] == "d" and plain[-4] == "a"
    try:
        plain[4]
    except IndexError:
        pass
    else:
        raise AssertionError("a position after the end is accepted")

    wrong = []
    holed = IndexedSet(range(60))
    for gone in (2, 5, 9):
        holed.remove(gone)
    want = [n for n in range(60) if n not in (2, 5, 9)]
    assert list(holed) == want and holed[20] == want[20]
    if list(holed[20:24]) != want[20:24]:
        wrong.append("b1")
    try:
        far = plain[-5]
    except IndexError:
        pass
    else:
        assert far == "d", far
        wrong.append("b2")
    try:
        assert list(plain[-9:]) == ["a", "b", "c", "d"]
    except ValueError:
        wrong.append("b3")
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
