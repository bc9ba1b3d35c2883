"""A line now and then while the code of pinned cases is brought."""

from __future__ import annotations

import time
from collections.abc import Callable

from pytest_reviewbench.errors import one_line

SECONDS = 2.0
"""At least this long between two lines, except for the last one of a stage."""


def progress_printer(
    write_line: Callable[[str], None], clock: Callable[[], float] = time.monotonic
) -> Callable[[int, int, str], None]:
    """A callback `(done, total, what)` that prints through `write_line`."""
    last = float("-inf")

    def say(done: int, total: int, what: str) -> None:
        nonlocal last
        if done == total or clock() - last >= SECONDS:
            last = clock()
            write_line(f"reviewbench: code of pinned packages {done}/{total}: {one_line(what, 60)}")

    return say
