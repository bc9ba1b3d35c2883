"""On what terms sessions are held: how often one is tried, how many at once, and for how much in all."""

from __future__ import annotations

import contextlib
import dataclasses
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pytest_reviewbench.errors import OverBudget, ReviewFailed
from pytest_reviewbench.model import Attempt, CostSource, Error, Usage
from pytest_reviewbench.sessions.backoff import seconds_before
from pytest_reviewbench.sessions.ledger import Ledger
from pytest_reviewbench.sessions.protocol import Session, SessionFailed, Told
from pytest_reviewbench.sessions.slots import Slots

Pause = Callable[[float], None]
"""Waits so many seconds; raises `Cancelled` when the benchmark ends meanwhile."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The same for every session of a benchmark, in all of its processes.

    `retries` beyond the first attempt; `slots` and `ledger` are shared (None: no such bound). `chance` gives a
    number from 0 to 1.
    """

    retries: int = 0
    slots: Slots | None = None
    ledger: Ledger | None = None
    chance: Callable[[], float] = random.random
    clock: Callable[[], float] = time.monotonic

    def hold(self, agent: str, once: Callable[[], Session], pause: Pause) -> Session:
        """Hold a session by `once`, again when what failed was not the model's answer.

        What comes back, or hangs on the failure as `partial`, has usage and cost of all attempts (null when that
        of one is), and the seconds that were waited. Raises what `once` raises, `OverBudget` when the first
        attempt may not begin any more (a later one that may not leaves the failure before), and `Cancelled`.
        """
        made: list[Attempt] = []
        streams: list[bytes] = []
        waited = 0.0
        failure: ReviewFailed | None = None
        while True:
            asked = self.clock()
            with self.slots.taken(agent, pause) if self.slots else contextlib.nullcontext():
                try:
                    if self.ledger is not None:
                        self.ledger.begin()
                except OverBudget:
                    if failure is None:
                        raise
                    raise failure from None
                started = self.clock()
                waited += started - asked
                session, failure = _tried(once)
                made.append(_attempt(session, failure, self.clock() - started))
                if self.ledger is not None:
                    self.ledger.end(made[-1].cost_usd)
            whole = dataclasses.replace(
                session,
                told=_of_all(session.told, made),
                attempts=tuple(made),
                earlier=tuple(streams),
                waited=waited,
            )
            if failure is None:
                return whole
            if isinstance(failure, SessionFailed) or len(made) > 1:  # else it is what it was: nothing was held
                failure = _with_all(failure, whole)
            wait = self._wait(failure, len(made))
            if wait is None:
                raise failure
            streams.append(session.transcript)
            pause(wait)
            waited += wait

    def _wait(self, failure: ReviewFailed, made: int) -> float | None:
        """Seconds before the next attempt; None: there is none."""
        again = failure.again if isinstance(failure, SessionFailed) else failure.kind == "spawn"
        if not again or made > self.retries:
            return None
        told = failure.retry_after if isinstance(failure, SessionFailed) else None
        return seconds_before(made + 1, told, self.chance())


def _tried(once: Callable[[], Session]) -> tuple[Session, ReviewFailed | None]:
    try:
        return once(), None
    except SessionFailed as e:
        return e.partial or Session(Told()), e
    except ReviewFailed as e:
        # A trial comes before anything is spent; of a program that did not start well nobody knows.
        return Session(Told(cost_usd=0.0 if e.kind == "trial" else None)), e


def _attempt(session: Session, failure: ReviewFailed | None, seconds: float) -> Attempt:
    told = session.told
    return Attempt(
        error=None if failure is None else Error(kind=failure.kind, message=str(failure)),
        seconds=round(seconds, 3),
        usage=told.usage,
        cost_usd=told.cost_usd,
        cost_source=told.cost_source,
    )


def _with_all(failure: ReviewFailed, whole: Session) -> SessionFailed:
    spawn = not isinstance(failure, SessionFailed) and failure.kind == "spawn"
    again = failure.again if isinstance(failure, SessionFailed) else spawn
    after = failure.retry_after if isinstance(failure, SessionFailed) else None
    return SessionFailed(failure.kind, str(failure), partial=whole, again=again, retry_after=after)


def _of_all(last: Told, made: Sequence[Attempt]) -> Told:
    """`last` with usage and cost of all attempts: half a sum would look like the whole."""
    if len(made) < 2:
        return last
    costs = [one.cost_usd for one in made]
    known = [cost for cost in costs if cost is not None]
    sources: set[CostSource] = {one.cost_source for one in made if one.cost_usd}
    return dataclasses.replace(
        last,
        usage=_sum_of_usage([one.usage for one in made]),
        cost_usd=round(sum(known), 9) if len(known) == len(costs) else None,
        cost_source=(sources.pop() if len(sources) == 1 else "none") if sources else last.cost_source,
    )


def _sum_of_usage(usages: Sequence[Usage | None]) -> Usage | None:
    known = [usage for usage in usages if usage is not None]
    if len(known) < len(usages):
        return None
    sums: dict[str, int | None] = {}
    for name in Usage.__struct_fields__:
        counts = [getattr(usage, name) for usage in known]
        sums[name] = None if None in counts else sum(counts)
    return Usage(**sums)
