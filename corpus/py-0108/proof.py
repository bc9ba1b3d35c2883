#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A document with nested entity declarations: is it expanded, or refused?

Needs defusedxml for the fixed release.

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import untangle

    assert untangle.parse("<a><b>x</b></a>").a.b.cdata == "x"
    # 100 KB out of less than 600 characters: far below what newer versions of expat stop by themselves.
    levels = ['<!ENTITY e0 "0123456789">']
    for n in range(1, 5):
        levels.append('<!ENTITY e%d "%s">' % (n, ("&e%d;" % (n - 1)) * 10))
    text = '<?xml version="1.0"?><!DOCTYPE a [' + "".join(levels) + "]><a>&e4;</a>"
    assert len(text) < 600
    try:
        size = len(untangle.parse(text).a.cdata)
    except Exception as exc:
        assert type(exc).__name__ == "EntitiesForbidden", repr(exc)
        return False
    assert size == 100_000, size
    return True


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
