"""What the processes of one benchmark have spent together, and whether another session may begin."""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_reviewbench.contain.process import Cancelled
from pytest_reviewbench.errors import OverBudget, RunError

TAIL = 4096
"""Bytes at the end of the file that surely hold its last line."""


@dataclass(frozen=True, slots=True)
class Balance:
    """Sessions that `begun`, that `ended`, those of them without a cost (`unknown`), that were `refused`; USD.

    `started` is when the whole began, in seconds since 1970.
    """

    started: float
    begun: int = 0
    ended: int = 0
    unknown: int = 0
    refused: int = 0
    spent: float = 0.0

    @property
    def uncounted(self) -> int:
        """Sessions that may have cost something which `spent` does not hold, also those that never ended."""
        return self.unknown + self.begun - self.ended


class Ledger:
    """A file that only grows, a line a change, each with the whole balance; every change is made under its lock.

    `max_cost` in USD and `max_seconds` since the start bound what may begin (None: no bound), not what runs. When
    the file is gone, nothing may begin either: whoever wants to is `Cancelled`.
    """

    def __init__(
        self,
        path: Path,
        *,
        max_cost: float | None = None,
        max_seconds: float | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._path = path
        self._max_cost = max_cost
        self._max_seconds = max_seconds
        self._clock = clock

    def open(self, started: float) -> None:
        """Begin the file, once, in one process, before anybody else uses it."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_bytes(_line(Balance(started)))

    def balance(self) -> Balance:
        with self._locked() as file:
            return _last(file)

    def begin(self) -> None:
        """Note that a session begins. Raises `OverBudget`, and notes that instead, when none may any more."""
        with self._locked() as file:
            now = _last(file)
            why = self._over(now)
            if why is not None:
                _append(file, dataclasses.replace(now, refused=now.refused + 1))
                raise OverBudget(why)
            _append(file, dataclasses.replace(now, begun=now.begun + 1))

    def end(self, cost_usd: float | None) -> None:
        """Note what a session that began has cost; None: nobody knows."""
        with contextlib.suppress(Cancelled), self._locked() as file:  # nobody asks any more, but there is an answer
            now = _last(file)
            _append(
                file,
                dataclasses.replace(
                    now,
                    ended=now.ended + 1,
                    unknown=now.unknown + (cost_usd is None),
                    spent=round(now.spent + (cost_usd or 0.0), 9),
                ),
            )

    def check_time(self) -> None:
        """Raises `OverBudget`, and notes it, when the time is over: for reviews that hold no sessions."""
        if self._max_seconds is None:
            return
        with self._locked() as file:
            now = _last(file)
            why = self._late(now)
            if why is not None:
                _append(file, dataclasses.replace(now, refused=now.refused + 1))
                raise OverBudget(why)

    def _over(self, now: Balance) -> str | None:
        if self._max_cost is not None and now.spent >= self._max_cost:
            return f"{self._max_cost:g} USD are spent (max-cost)"
        return self._late(now)

    def _late(self, now: Balance) -> str | None:
        if self._max_seconds is not None and self._clock() - now.started >= self._max_seconds:
            return f"the {self._max_seconds / 60:g} minutes are over (max-minutes)"
        return None

    @contextlib.contextmanager
    def _locked(self) -> Iterator[int]:
        try:
            file = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
        except FileNotFoundError:
            raise Cancelled("not started because the session is over") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)


def _line(balance: Balance) -> bytes:
    return json.dumps(dataclasses.asdict(balance)).encode() + b"\n"


def _append(file: int, balance: Balance) -> None:
    whole = os.fstat(file).st_size == 0 or os.pread(file, 1, os.fstat(file).st_size - 1) == b"\n"
    os.write(file, (b"" if whole else b"\n") + _line(balance))  # what a killed process left is a line of its own


def _last(file: int) -> Balance:
    """The last line that is whole: a process may have been killed while it wrote one."""
    size = os.fstat(file).st_size
    for line in reversed(os.pread(file, TAIL, max(0, size - TAIL)).split(b"\n")):
        with contextlib.suppress(ValueError, TypeError):
            return Balance(**json.loads(line))
    raise RunError("the ledger of this session cannot be read")
