#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A range of one day with its end included, and steps of a month or year to December: are the days right?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    from datetime import date
    from itertools import islice

    from boltons.timeutils import daterange

    assert sys.modules["boltons.timeutils"].__file__.startswith(root), "another copy was imported"

    def days(start: date, stop: date | None, step=1, inclusive: bool = False) -> list[str]:
        return [day.isoformat() for day in islice(daterange(start, stop, step, inclusive), 4)]

    day = date(2024, 5, 6)
    assert days(day, date(2024, 5, 8), inclusive=True) == ["2024-05-06", "2024-05-07", "2024-05-08"]
    assert days(date(2024, 5, 8), day, -1) == ["2024-05-08", "2024-05-07"]
    assert days(day, day) == []
    assert days(day, None, (0, 1, 0)) == ["2024-05-06", "2024-06-06", "2024-07-06", "2024-08-06"]
    assert days(day, None, (1, 0, 0))[:2] == ["2024-05-06", "2025-05-06"]

    wrong = []
    found = days(day, day, inclusive=True)
    assert found[0] == "2024-05-06"
    if len(found) > 1:
        wrong.append("b1")
    if (days(date(2024, 11, 6), None, (0, 1, 0))[1], days(date(2024, 12, 6), None, (1, 0, 0))[1]) != (
        "2024-12-06",
        "2025-12-06",
    ):
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
