#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""Fewer significant digits than stand before the point: does formatting still work?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import humanize

    assert humanize.metric(1500, "V") == "1.50 kV"
    assert humanize.metric(450000, "V") == "450 kV"
    try:
        short = humanize.metric(450000, "V", precision=1)
    except ValueError:
        return True
    assert short == "450 kV", short
    return False


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
