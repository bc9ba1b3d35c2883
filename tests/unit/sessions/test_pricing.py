"""Tokens into money: numbers by hand, from list prices and from a project's own."""

from __future__ import annotations

import sys

import pytest

from pytest_reviewbench.model import Usage
from pytest_reviewbench.prices import Price
from pytest_reviewbench.sessions.pricing import priced
from pytest_reviewbench.sessions.protocol import Told

SONNET = "claude-sonnet-4-5-20250929"
"""Its list price: 3 USD per million tokens read, 15 said, 0.30 read from the cache, 3.75 written to it; twice as
much for what is read in a request of over 200,000 tokens."""
MINE = {"m": Price(1, 2, 0.5, 4)}


def used(**counts: int | None) -> Usage:
    usual: dict[str, int | None] = {"input": 700, "output": 200, "cache_read": 300, "cache_write": 50}
    turns = counts.pop("turns", 1)
    return Usage(turns=turns, **{f"{name}_tokens": count for name, count in (usual | counts).items()})


def cost(told: Told, asked: str | None = None, prices: dict[str, Price] | None = None) -> float | None:
    made = priced(told, asked, prices or {})
    assert made.cost_source == ("none" if made.cost_usd is None else "priced")
    return made.cost_usd


def test_tokens_at_the_makers_own_service_have_its_list_price() -> None:
    by_hand = (700 * 3 + 200 * 15 + 300 * 0.3 + 50 * 3.75) / 1e6
    assert cost(Told(usage=used(), model=SONNET, service="anthropic")) == pytest.approx(by_hand, rel=1e-12)
    two = used(turns=2, input=1401, output=401, cache_read=600, cache_write=100)
    by_hand = (1401 * 3 + 401 * 15 + 600 * 0.3 + 100 * 3.75) / 1e6
    assert cost(Told(usage=two, model=SONNET, service="anthropic")) == pytest.approx(by_hand, rel=1e-12)


def test_many_requests_are_not_priced_as_one_long_one() -> None:
    long = used(input=400_000, cache_read=0, cache_write=0, output=0)
    assert cost(Told(usage=long, model=SONNET, service="anthropic")) == pytest.approx(400_000 * 6 / 1e6)
    for turns in (4, None):  # None: the agent does not say how many there were
        many = used(input=400_000, cache_read=0, cache_write=0, output=0, turns=turns)
        assert cost(Told(usage=many, model=SONNET, service="anthropic")) == pytest.approx(400_000 * 3 / 1e6)


def test_the_model_that_was_asked_counts_where_none_is_reported() -> None:
    by_hand = (700 * 1.25 + 200 * 10 + 300 * 0.125) / 1e6
    told = Told(usage=used(cache_write=None), service="openai")  # nothing is asked for writing to that cache
    assert cost(told, "gpt-5") == cost(told, "openai:gpt-5") == pytest.approx(by_hand, rel=1e-12)
    assert cost(told) is None


@pytest.mark.parametrize("count", ["input", "output", "cache_read", "cache_write"])
def test_a_count_that_is_not_known_leaves_the_cost_unknown(count: str) -> None:
    assert cost(Told(usage=used(**{count: None}), model=SONNET, service="anthropic")) is None
    assert cost(Told(usage=used(**{count: None}), model="m"), prices=MINE) is None


def test_what_nobody_has_a_price_for_costs_nobody_knows_what() -> None:
    assert cost(Told(usage=used(), model="no-such-model-7", service="anthropic")) is None
    assert cost(Told(usage=used(), model=SONNET)) is None  # behind a base URL
    assert cost(Told(model=SONNET, service="anthropic")) is None


def test_the_projects_price_holds_for_any_service_by_what_answered_or_was_asked() -> None:
    by_hand = (700 * 1 + 200 * 2 + 300 * 0.5 + 50 * 4) / 1e6
    assert cost(Told(usage=used(), model="m"), prices=MINE) == pytest.approx(by_hand)
    assert cost(Told(usage=used(), model="m-2026"), "m", MINE) == pytest.approx(by_hand)
    assert cost(Told(usage=used()), "openai:m", MINE) == pytest.approx(by_hand)
    named = {SONNET: MINE["m"]}
    assert cost(Told(usage=used(), model=SONNET, service="anthropic"), prices=named) == pytest.approx(by_hand)


def test_a_price_that_is_nothing_needs_no_count() -> None:
    free = {"m": Price(0, 2, 0, 0)}
    told = Told(usage=used(input=None, cache_read=None, cache_write=None), model="m")
    assert cost(told, prices=free) == pytest.approx(200 * 2 / 1e6)


def test_what_an_agent_reports_stays() -> None:
    told = Told(usage=used(), model="m", cost_usd=0.5, cost_source="reported", service="anthropic")
    assert priced(told, "m", MINE) == told


def test_without_the_data_there_is_no_list_price_but_the_projects_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    assert cost(Told(usage=used(), model=SONNET, service="anthropic")) is None
    assert cost(Told(usage=used(), model="m"), prices=MINE) is not None
