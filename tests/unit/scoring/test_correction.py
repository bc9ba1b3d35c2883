"""Rates corrected for what a judge gets wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_reviewbench.scoring.correction import corrected


def labels(hit: int, missed: int, right: int, false: int) -> list[tuple[bool, bool]]:
    """(judge, person): true findings that the judge calls true and not, others that it calls so and not."""
    return [(True, True)] * hit + [(False, True)] * missed + [(False, False)] * right + [(True, False)] * false


def test_the_formula_of_rogan_and_gladen() -> None:
    made = corrected([True] * 34 + [False] * 66, labels(9, 1, 8, 2))
    assert (made.sensitivity, made.specificity) == (0.9, 0.8)
    assert made.value == pytest.approx((0.34 + 0.8 - 1) / (0.9 + 0.8 - 1))
    assert made.value is not None
    assert made.ends is not None
    assert made.ends.low < made.value < made.ends.high


def test_a_perfect_judge_changes_nothing() -> None:
    made = corrected([True, True, False, False], labels(10, 0, 10, 0))
    assert made.value == made.raw == 0.5


def test_few_labels_make_a_wider_interval() -> None:
    judged = [True] * 500 + [False] * 500
    few, many = (corrected(judged, labels(9 * n, n, 9 * n, n)).ends for n in (1, 50))
    assert few is not None
    assert many is not None
    assert few.high - few.low > many.high - many.low


@pytest.mark.parametrize(
    "labelled", [labels(5, 5, 5, 5), labels(2, 8, 2, 8), labels(10, 0, 4, 0), labels(4, 0, 10, 0), []]
)
def test_chance_and_too_few_labels_correct_nothing(labelled: list[tuple[bool, bool]]) -> None:
    made = corrected([True, False], labelled)
    assert (made.raw, made.value, made.ends) == (0.5, None, None)


def test_no_findings_have_no_share() -> None:
    assert corrected([], labels(9, 1, 9, 1)).raw is None


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.tuples(*[st.integers(0, 12)] * 4))
def test_a_corrected_share_is_a_share(judged: list[bool], counts: tuple[int, int, int, int]) -> None:
    made = corrected(judged, labels(*counts))
    for value in (made.value, *(made.ends or ())):
        assert value is None or 0 <= value <= 1
