"""At most so many sessions of one agent at once, over all processes that share a folder."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from pytest_reviewbench.contain.process import Cancelled

SECONDS = 0.1
"""Between two looks for a free slot."""


class Slots:
    """`count` lock files per agent in `folder`. The kernel gives back the slots of a process that dies.

    Whoever wants one when the folder is gone is `Cancelled`.
    """

    def __init__(self, folder: Path, count: int) -> None:
        self._folder = folder
        self._count = count

    @contextlib.contextmanager
    def taken(self, agent: str, pause: Callable[[float], None]) -> Iterator[None]:
        """A slot of `agent`. Waits for one by calling `pause` (seconds), which may raise to end the wait."""
        while (slot := self._free(agent)) is None:
            pause(SECONDS)
        try:
            yield
        finally:
            os.close(slot)

    def _free(self, agent: str) -> int | None:
        """An open file that holds the lock of a slot; None: all are taken."""
        for n in range(self._count):
            try:  # not handed to children: a lock is held as long as anybody has the file open
                slot = os.open(self._folder / f"{agent}.{n}.slot", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except FileNotFoundError:
                raise Cancelled("not started because the session is over") from None
            try:
                fcntl.flock(slot, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(slot)
            except BaseException:
                os.close(slot)
                raise
            else:
                return slot
        return None
