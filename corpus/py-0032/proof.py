#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""Is a negative span described by its length (b1), and is a fraction of a second kept (b2)?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import datetime as dt

    from humanize import naturaldelta

    short = dt.timedelta(seconds=10)
    assert naturaldelta(short) == naturaldelta(10) == "10 seconds"
    assert naturaldelta(dt.timedelta(milliseconds=500), minimum_unit="milliseconds") == "500 milliseconds"
    present = []
    if naturaldelta(-short) != "10 seconds" or naturaldelta(-10) != "10 seconds":
        present.append("b1")
    if naturaldelta(0.5, minimum_unit="milliseconds") != "500 milliseconds":
        present.append("b2")
    print("present:", " ".join(present) or "none")
    return bool(present)


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
