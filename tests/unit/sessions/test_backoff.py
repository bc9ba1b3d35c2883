"""How long to wait before another attempt."""

from __future__ import annotations

import pytest

from pytest_reviewbench.sessions.backoff import FIRST, LONGEST, PATIENCE, seconds_before, told_in
from pytest_reviewbench.sessions.refusals import refused


@pytest.mark.parametrize(
    ("attempt", "chance", "seconds"),
    [
        (2, 1, FIRST),
        (2, 0, FIRST / 2),
        (3, 1, 2 * FIRST),
        (4, 0, 2 * FIRST),
        (9, 1, LONGEST),
        (5000, 0, LONGEST / 2),
    ],
)
def test_the_wait_doubles_up_to_a_bound_and_chance_takes_up_to_half(
    attempt: int, chance: float, seconds: float
) -> None:
    assert seconds_before(attempt, None, chance) == seconds


def test_what_the_service_asks_for_is_the_least_and_too_much_is_not_waited_for() -> None:
    assert seconds_before(2, 30.0, 1) == 30.0
    assert seconds_before(2, 0.5, 1) == FIRST
    assert seconds_before(2, PATIENCE, 1) == PATIENCE
    assert seconds_before(2, PATIENCE + 1, 1) is None


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("Rate limit reached. Please try again in 20s.", 20),
        ("Please try again in 1.5 seconds", 1.5),
        ("Retry-After: 30", 30),
        ("retry after 2 minutes", 120),
        ("try again in 250ms", 0.25),
        ("retry in 1h", 3600),
        ("try again later, 20 requests are too many", None),
        ("attempt 3 of 5", None),
    ],
)
def test_a_wait_is_read_from_the_words_of_an_error(message: str, seconds: float | None) -> None:
    assert told_in(message) == seconds
    assert refused("x", 429, message).retry_after == seconds


def test_what_the_stream_says_goes_before_its_words() -> None:
    assert refused("x", 429, "try again in 20s", 7.5).retry_after == 7.5
