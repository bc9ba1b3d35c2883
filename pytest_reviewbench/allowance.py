"""What a whole session of pytest may spend, and what it has spent: shared by its processes through a folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pytest_reviewbench.sessions.ledger import Ledger
from pytest_reviewbench.sessions.slots import Slots
from pytest_reviewbench.sessions.terms import Terms
from pytest_reviewbench.settings import Settings


class Allowance:
    """The terms of all AI sessions, as they were asked for.

    `folder` is seen by every process; time counts from `started` (seconds since 1970) of the one that opens it.
    """

    def __init__(self, settings: Settings, folder: Path, started: float) -> None:
        self._started = started
        self._folder = folder
        self._max_cost = settings.max_cost
        self._ledger: Ledger | None = None
        if settings.max_cost is not None or settings.max_minutes is not None:
            seconds = None if settings.max_minutes is None else settings.max_minutes * 60
            self._ledger = Ledger(folder / "ledger", max_cost=settings.max_cost, max_seconds=seconds)
        slots = None if settings.per_agent is None else Slots(folder, settings.per_agent)
        self.terms = Terms(settings.retries, slots=slots, ledger=self._ledger)

    def open(self) -> None:
        """Make what is shared, once, before the first review."""
        self._folder.mkdir(parents=True, exist_ok=True)
        if self._ledger is not None:
            self._ledger.open(self._started)

    def permit(self) -> None:
        """Raises `OverBudget` when no review may begin any more, whoever would do it."""
        if self._ledger is not None:
            self._ledger.check_time()

    @property
    def exceeded(self) -> bool:
        """Was anything refused? Then the session did not do all that it was asked for."""
        return self._ledger is not None and self._ledger.balance().refused > 0

    def lines(self) -> Iterator[str]:
        """What was spent, for people, where that was bounded."""
        if self._ledger is None or self._max_cost is None:
            return
        now = self._ledger.balance()
        yield f"spent {now.spent:g} of {self._max_cost:g} USD in {now.begun} sessions"
        if now.uncounted:
            yield f"{now.uncounted} sessions of unknown cost are not counted"
