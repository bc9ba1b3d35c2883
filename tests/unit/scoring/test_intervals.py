"""Intervals and tests of single numbers, against published vectors and a library."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from pytest_reviewbench.scoring.intervals import cases_needed, holm, mcnemar, percentile_ends, wilson
from tests.shared import shared


def vectors() -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = json.loads(shared("public/stats/stats_vectors.json").read_text())
    return found


def test_wilson_is_that_of_the_published_table() -> None:
    rows = vectors()["wilson_95"]
    assert len(rows) == 12
    for row in rows:
        ends = wilson(int(row["k"]), int(row["n"]))
        assert ends == pytest.approx((float(row["lo"]), float(row["hi"])), abs=1e-9)


def test_mcnemar_is_that_of_the_published_table() -> None:
    rows = vectors()["mcnemar_exact"]
    assert len(rows) == 4
    for row in rows:
        assert mcnemar(int(row["x_only"]), int(row["y_only"])) == pytest.approx(float(row["p_value"]), abs=1e-9)


@given(st.integers(0, 300), st.integers(1, 300))
def test_wilson_is_that_of_a_library(hits: int, more: int) -> None:
    n = hits + more
    level = 2 * scipy.stats.norm.cdf(1.96) - 1
    theirs = scipy.stats.binomtest(hits, n).proportion_ci(method="wilson", confidence_level=level)
    assert wilson(hits, n) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_that_of_a_library_and_knows_no_sides(only_a: int, only_b: int) -> None:
    theirs = scipy.stats.binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
    assert mcnemar(only_a, only_b) == mcnemar(only_b, only_a) == pytest.approx(theirs, abs=1e-9)


def test_nothing_measured_has_no_interval() -> None:
    assert wilson(0, 0) is None
    assert percentile_ends(np.array([np.nan, np.nan])) is None
    assert cases_needed(0.0) is None


def test_ends_stay_within_what_a_proportion_can_be() -> None:
    assert wilson(0, 5) == pytest.approx((0.0, 3.8416 / 8.8416), abs=1e-12)
    assert wilson(5, 5) == pytest.approx((5 / 8.8416, 1.0), abs=1e-12)


def test_the_middle_of_resamples_leaves_a_fortieth_on_each_side_and_those_without_the_number() -> None:
    ends = percentile_ends(np.array([*range(1001), np.nan], dtype=float))
    assert ends == pytest.approx((25.0, 975.0))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_never_lowers_a_p_value_and_keeps_their_order(values: list[float]) -> None:
    corrected = holm(values)
    assert all(p <= q <= 1 for p, q in zip(values, corrected, strict=True))
    order = sorted(range(len(values)), key=values.__getitem__)
    assert [corrected[n] for n in order] == sorted(corrected)


def test_holm_is_that_of_the_textbook() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_more_spread_needs_more_cases() -> None:
    """(1.96 + 0.8416)² × 0.5² / 0.05² = 784.9"""
    assert cases_needed(0.5) == 785
    assert cases_needed(0.25) == 197
