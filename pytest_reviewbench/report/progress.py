"""A line now and then while something takes its time."""

from __future__ import annotations

import time
from collections.abc import Callable

from pytest_reviewbench.errors import one_line

SECONDS = 2.0
"""At least this long between two lines, except for the last one of a stage."""


def progress_printer(
    write_line: Callable[[str], None],
    clock: Callable[[], float] = time.monotonic,
    what: str = "code of pinned packages",
) -> Callable[[int, int, str], None]:
    """A callback `(done, total, name)` that prints through `write_line`."""
    last = float("-inf")

    def say(done: int, total: int, name: str) -> None:
        nonlocal last
        if done == total or clock() - last >= SECONDS:
            last = clock()
            write_line(f"reviewbench: {what} {done}/{total}: {one_line(name, 60)}")

    return say
