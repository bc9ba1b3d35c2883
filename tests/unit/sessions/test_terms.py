"""Attempts of one session: which are made, what they cost together, what is kept."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pytest_reviewbench.contain.process import Cancelled
from pytest_reviewbench.errors import OverBudget, ReviewFailed
from pytest_reviewbench.model import CostSource, Usage
from pytest_reviewbench.sessions.backoff import FIRST, PATIENCE
from pytest_reviewbench.sessions.ledger import Ledger
from pytest_reviewbench.sessions.protocol import Session, SessionFailed, Told
from pytest_reviewbench.sessions.slots import Slots
from pytest_reviewbench.sessions.terms import Terms


@dataclass
class World:
    """A clock that goes on when somebody waits, and by a second for every attempt; outcomes as planned."""

    outcomes: list[Session | Exception]
    now: float = 0.0
    pauses: list[float] = field(default_factory=list)

    def once(self) -> Session:
        self.now += 1
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def hold(self, retries: int, ledger: Ledger | None = None, slots: Slots | None = None) -> Session:
        terms = Terms(retries, slots=slots, ledger=ledger, chance=lambda: 1.0, clock=lambda: self.now)
        return terms.hold("claude", self.once, self.pause)


def session(cost: float | None = 0.5, tokens: int | None = 10, source: CostSource = "reported") -> Session:
    usage = None if tokens is None else Usage(input_tokens=tokens, turns=1)
    return Session(Told("[]", usage=usage, cost_usd=cost, cost_source="none" if cost is None else source), b"good")


def refused(cost: float | None = 0.0, *, after: float | None = None, stream: bytes = b"bad") -> SessionFailed:
    told = Told(
        usage=Usage(input_tokens=0, turns=1), cost_usd=cost, cost_source="none" if cost is None else "reported"
    )
    partial = Session(told, stream)
    return SessionFailed("rate_limit", "HTTP 429", partial=partial, again=True, retry_after=after)


def failed(kind: str) -> SessionFailed:
    return SessionFailed(kind, kind, partial=session())


def test_a_refused_session_is_tried_again_and_everything_of_both_is_kept() -> None:
    world = World([refused(0.25), session(0.5)])
    held = world.hold(2)
    assert [one.error.kind if one.error else None for one in held.attempts] == ["rate_limit", None]
    assert [one.cost_usd for one in held.attempts] == [0.25, 0.5]
    assert (held.told.cost_usd, held.told.cost_source, held.told.text) == (0.75, "reported", "[]")
    assert held.told.usage == Usage(input_tokens=10, turns=2)
    assert (held.transcript, held.earlier) == (b"good", (b"bad",))
    assert (world.pauses, held.waited) == ([FIRST], FIRST)
    assert [one.seconds for one in held.attempts] == [1, 1]


def test_half_a_sum_is_unknown() -> None:
    told = World([refused(None), session(0.5)]).hold(1).told
    assert (told.cost_usd, told.cost_source) == (None, "reported")
    assert World([refused(0.1), session(0.5, tokens=None)]).hold(1).told.usage is None


def test_prices_of_two_kinds_are_not_summed_under_one_name() -> None:
    assert World([refused(0.1), session(0.5, source="priced")]).hold(1).told.cost_source == "none"
    assert World([refused(0.0), session(0.5, source="priced")]).hold(1).told.cost_source == "priced"


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_after_so_many_retries_the_failure_stands_with_every_attempt(retries: int) -> None:
    world = World([refused(0.25, stream=b"%d" % n) for n in range(9)])
    with pytest.raises(SessionFailed, match="429") as caught:
        world.hold(retries)
    partial = caught.value.partial
    assert partial is not None
    assert len(partial.attempts) == retries + 1
    assert partial.told.cost_usd == 0.25 * (retries + 1)
    assert (*partial.earlier, partial.transcript) == tuple(b"%d" % n for n in range(retries + 1))


@pytest.mark.parametrize("kind", ["auth", "timeout", "max_turns", "budget", "protocol", "exit", "limit", "output"])
def test_what_is_no_trouble_of_the_line_is_never_tried_again(kind: str) -> None:
    world = World([failed(kind), session()])
    with pytest.raises(SessionFailed):
        world.hold(5)
    assert (len(world.outcomes), world.pauses) == (1, [])


def test_a_program_that_did_not_start_is_tried_again_at_unknown_cost() -> None:
    held = World([ReviewFailed("spawn", "cannot start"), session()]).hold(1)
    assert [one.error.kind if one.error else None for one in held.attempts] == ["spawn", None]
    assert held.told.cost_usd is None
    with pytest.raises(ReviewFailed, match="no shell"):
        World([ReviewFailed("trial", "no shell"), session()]).hold(5)


def test_the_wait_that_the_service_asks_for_is_kept_and_too_long_a_one_ends_it() -> None:
    world = World([refused(after=42.0), session()])
    world.hold(1)
    assert world.pauses == [42.0]
    with pytest.raises(SessionFailed):
        World([refused(after=PATIENCE + 1), session()]).hold(1)


def test_an_end_of_the_benchmark_ends_the_wait() -> None:
    def ending(seconds: float) -> None:
        raise Cancelled("the session is ending")

    world = World([refused(), session()])
    with pytest.raises(Cancelled):
        Terms(3).hold("claude", world.once, ending)
    assert len(world.outcomes) == 1


@pytest.fixture
def ledger(tmp_path: Path) -> Callable[[float], Ledger]:
    def made(max_cost: float) -> Ledger:
        book = Ledger(tmp_path / "ledger", max_cost=max_cost)
        book.open(0.0)
        return book

    return made


def test_no_session_begins_when_the_money_is_spent(ledger: Callable[[float], Ledger]) -> None:
    book = ledger(1.0)
    world = World([session(0.5), session(0.75), session()])
    world.hold(0, book)
    world.hold(0, book)
    with pytest.raises(OverBudget, match="1 USD are spent"):
        world.hold(0, book)
    assert len(world.outcomes) == 1
    assert book.balance().spent == 1.25


def test_an_attempt_that_may_not_begin_any_more_leaves_the_failure_before_it(
    ledger: Callable[[float], Ledger],
) -> None:
    world = World([refused(2.0), session()])
    with pytest.raises(SessionFailed, match="429") as caught:
        world.hold(3, ledger(1.0))
    assert caught.value.partial is not None
    assert len(caught.value.partial.attempts) == 1


def test_the_wait_for_a_slot_is_no_time_of_the_session(tmp_path: Path) -> None:
    slots = Slots(tmp_path, 1)
    world = World([session()])
    with contextlib.ExitStack() as other:
        other.enter_context(slots.taken("claude", world.pause))

        def pause(seconds: float) -> None:
            world.pause(10)
            if len(world.pauses) == 3:
                other.close()

        held = Terms(slots=slots, clock=lambda: world.now).hold("claude", world.once, pause)
    assert (held.waited, held.attempts[0].seconds) == (30, 1)
