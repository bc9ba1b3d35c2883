"""Intervals for few cases."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_reviewbench.scoring.intervals import wilson
from pytest_reviewbench.scoring.score_intervals import difference_interval, ratio_interval

CASES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30).map(
    lambda rows: np.array([(min(a, n), min(b, n), n) for a, b, n in rows], dtype=float)
)


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_of_one_bug_a_case_it_is_wilsons(hits: list[bool]) -> None:
    found = ratio_interval(np.array(hits, dtype=float), np.ones(len(hits)))
    assert found == pytest.approx(wilson(sum(hits), len(hits)))


def test_cases_whose_bugs_go_together_count_for_less_than_their_bugs() -> None:
    bugs = np.full(10, 4.0)
    together = ratio_interval(np.array([4.0, 0.0] * 5), bugs)
    apart = ratio_interval(np.array([2.0, 2.0, 1.0, 3.0, 2.0] * 2), bugs)
    assert together is not None
    assert apart is not None
    assert together == pytest.approx(wilson(5, 10))
    assert apart.high - apart.low < together.high - together.low
    assert apart == pytest.approx(wilson(20, 40)), "never more trials than bugs"


def test_where_every_case_came_out_alike_it_has_a_width() -> None:
    assert ratio_interval(np.zeros(8), np.full(8, 3.0)) == pytest.approx(wilson(0, 8))
    same = np.ones(8), np.ones(8)
    found = difference_interval(same, (np.zeros(8), np.ones(8)))
    assert found is not None
    assert found.low < 1.0 == found.high
    assert ratio_interval(np.zeros(3), np.zeros(3)) is None
    assert difference_interval(same, (np.zeros(8), np.zeros(8))) is None


@given(CASES)
def test_a_difference_holds_its_value_and_turns_with_its_arms(rows: np.ndarray) -> None:
    a, b, bugs = rows.T
    found, turned = difference_interval((a, bugs), (b, bugs)), difference_interval((b, bugs), (a, bugs))
    if not bugs.sum():
        assert found is None
        return
    assert found is not None
    assert turned is not None
    value = (a.sum() - b.sum()) / bugs.sum()
    assert -1 <= found.low <= value + 1e-12
    assert value - 1e-12 <= found.high <= 1
    assert found == pytest.approx((-turned.high, -turned.low), abs=1e-9)


def test_paired_proportions_are_combined_by_the_phi_of_their_fourfold_table() -> None:
    both, first, second, neither = 20, 12, 2, 16
    a = np.array([1.0] * (both + first) + [0.0] * (second + neither))
    b = np.array([1.0] * both + [0.0] * first + [1.0] * second + [0.0] * neither)
    ones = np.ones(50)
    one, other = wilson(32, 50), wilson(22, 50)
    assert one is not None
    assert other is not None
    phi = (both * neither - first * second) / math.sqrt(32 * 18 * 22 * 28)
    low, high = (
        math.sqrt(x**2 - 2 * phi * x * y + y**2)
        for x, y in ((0.64 - one.low, other.high - 0.44), (one.high - 0.64, 0.44 - other.low))
    )
    assert difference_interval((a, ones), (b, ones)) == pytest.approx((0.2 - low, 0.2 + high))
