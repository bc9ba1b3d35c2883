"""How far something is that takes its time: as a value, as a line, and as a line now and then."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from pytest_reviewbench.errors import one_line

SECONDS = 2.0
"""At least this long between two lines, except for the last one of a stage."""

NAME = "reviewbench: "


@dataclass(frozen=True, slots=True)
class Progress:
    """So much of `total` is done, `at_once` at a time, since `began` (seconds of any steady clock).

    `bugs` and `hit` count known bugs of reviews with an answer and those that the matcher found in it;
    `cost_usd` is the sum of the `known` ones of `started` costs. `timed` of what is done took `seconds` of work,
    the last of it ended at `last`; the rest took no time, and says nothing of what is to come.
    """

    total: int
    at_once: int
    began: float
    what: str = "reviews"
    done: int = 0
    timed: int = 0
    seconds: float = 0.0
    last: float = 0.0
    bugs: int = 0
    hit: int = 0
    started: int = 0
    known: int = 0
    cost_usd: float = 0.0

    def finished(
        self,
        now: float,
        seconds: float | None,
        *,
        bugs: int = 0,
        hit: int = 0,
        started: bool = False,
        cost_usd: float | None = None,
    ) -> Progress:
        """One more is done. `seconds`: the work it took (None: it was there already, or was not done at all)."""
        if seconds is not None and seconds > now - self.began + 1:  # more than has passed: not done by this session
            seconds = None
        return dataclasses.replace(
            self,
            done=self.done + 1,
            timed=self.timed + (seconds is not None),
            seconds=self.seconds + (seconds or 0.0),
            last=self.last if seconds is None else now,
            bugs=self.bugs + bugs,
            hit=self.hit + hit,
            started=self.started + started,
            known=self.known + (cost_usd is not None),
            cost_usd=self.cost_usd + (cost_usd or 0.0),
        )

    def counted(self, now: float, done: int) -> Progress:
        """The same with `done` in all, where nobody says what each took: so many at once since it began."""
        made = self
        while made.done < done:
            made = made.finished(now, (now - self.began) / math.ceil((made.done + 1) / self.at_once))
        return made

    def left(self, now: float) -> float | None:
        """Seconds until all are done, by what the timed ones took; None while none has been timed.

        At first by the mean of their work and how many run at once, later by how many ended in the time passed.
        """
        remaining = self.total - self.done
        if not self.timed or remaining <= 0:
            return None
        mean = self.seconds / self.timed
        steady = self.timed >= 2 * self.at_once
        each = (self.last - self.began) / self.timed if steady else mean / self.at_once
        return max(0.0, max(remaining * each, mean / 2) - (now - self.last))

    def line(self, width: int, now: float) -> str:
        """All of it in at most `width` characters; what is least needed is left out where there is no room."""
        parts = [f"{self.done}/{self.total} {self.what}", self._hits(), self._cost(), self._left(now)]
        for dropped in ((), (2,), (2, 1), (2, 1, 3)):
            said = NAME + ", ".join(part for n, part in enumerate(parts) if part and n not in dropped)
            if len(said) <= width:
                return said
        return parts[0][: max(width, 0)]

    def _hits(self) -> str:
        return f"{self.hit} of {self.bugs} bugs hit" if self.bugs else ""

    def _cost(self) -> str:
        if not self.started:
            return ""
        if not self.known:
            return "cost not known"
        some = f" ({self.known} of {self.started} known)" if self.known < self.started else ""
        return f"${self.cost_usd:.2f}{some}"

    def _left(self, now: float) -> str:
        seconds = self.left(now)
        return "" if not seconds else f"about {duration(seconds)} left"


def duration(seconds: float) -> str:
    """`8 s`, `3 min`, `1 h 05 min`: rounded up, for people."""
    whole = math.ceil(seconds)
    if whole < 60:
        return f"{max(whole, 1)} s"
    minutes = math.ceil(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"


class NowAndThen:
    """Lets a line through when the last one is `seconds` ago; the first one has to wait as well."""

    def __init__(self, now: float, seconds: float = 5.0) -> None:
        self._last = now
        self._seconds = seconds

    def due(self, now: float) -> bool:
        if now - self._last < self._seconds:
            return False
        self._last = now
        return True


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
            write_line(f"{NAME}{what} {done}/{total}: {one_line(name, 60)}")

    return say
