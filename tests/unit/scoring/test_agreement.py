"""Measures of agreement, against published examples."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_reviewbench.scoring.agreement import (
    Ratings,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    majority,
    raw_agreement,
)

FLEISS_1971 = """
444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 144444 224445
333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 111155 224444 133333 555555
""".split()  # noqa: SIM905 (a table)
"""30 patients, 6 diagnoses each (Fleiss 1971, table 1, as the diagnoses given)."""

KRIPPENDORFF_2011 = {  # "Computing Krippendorff's Alpha-Reliability", section C; a dot: not rated
    "a": "123321412...",
    "b": "1233224125.3",
    "c": ".3332342251.",
    "d": "12332441251.",
}

MEASURES = (raw_agreement, krippendorff_alpha, lambda ratings: fleiss_kappa(ratings)[0])

tables = st.lists(
    st.dictionaries(st.sampled_from("abcd"), st.sampled_from("xyz"), min_size=0, max_size=4), max_size=12
).map(lambda rows: dict(enumerate(rows)))


def by_rater(rows: dict[str, str]) -> Ratings:
    """One string per rater, one character per thing."""
    things: dict[Hashable, dict[str, str]] = {}
    for rater, row in rows.items():
        for n, word in enumerate(row):
            if word != ".":
                things.setdefault(n, {})[rater] = word
    return dict(things)


def of_two(cells: Sequence[Sequence[int]]) -> Ratings:
    """A square table of how often two raters said what."""
    pairs = [(str(i), str(j)) for i, row in enumerate(cells) for j, many in enumerate(row) for _ in range(many)]
    return {n: {"a": one, "b": other} for n, (one, other) in enumerate(pairs)}


def test_fleiss_kappa_of_its_own_example() -> None:
    ratings: Ratings = {n: dict(zip("uvwxyz", words, strict=True)) for n, words in enumerate(FLEISS_1971)}
    kappa, things = fleiss_kappa(ratings)
    assert (round(kappa or 0, 3), things) == (0.430, 30)


def test_krippendorffs_alpha_of_its_own_example_with_missing_data() -> None:
    assert round(krippendorff_alpha(by_rater(KRIPPENDORFF_2011)) or 0, 3) == 0.743


def test_krippendorffs_alpha_of_two_observers() -> None:
    both = by_rater({"a": "aabbdcccedda", "b": "babbbccceddd"})
    assert round(krippendorff_alpha(both) or 0, 3) == 0.692


@pytest.mark.parametrize(
    ("cells", "kappa"),
    [(((20, 5), (10, 15)), 0.4), (((45, 15), (25, 15)), 0.1304), (((25, 35), (5, 35)), 0.2593)],
)
def test_cohens_kappa_of_known_tables(cells: Sequence[Sequence[int]], kappa: float) -> None:
    assert cohen_kappa(of_two(cells), "a", "b") == pytest.approx(kappa, abs=5e-5)


def test_what_is_not_defined_is_null() -> None:
    one_word = by_rater({"a": "xxx", "b": "xxx"})
    assert (cohen_kappa(one_word, "a", "b"), fleiss_kappa(one_word), krippendorff_alpha(one_word)) == (
        None, (None, 3), None,
    )  # fmt: skip
    assert raw_agreement(one_word) == 1
    alone = by_rater({"a": "xyx"})
    assert (cohen_kappa(alone, "a", "b"), fleiss_kappa(alone), krippendorff_alpha(alone), raw_agreement(alone)) == (
        None, (None, 0), None, None,
    )  # fmt: skip
    assert fleiss_kappa({}) == (None, 0)


def test_fleiss_kappa_is_over_what_most_raters_rated() -> None:
    assert fleiss_kappa(by_rater({"a": "xyx", "b": "xyx", "c": "xy."})) == (1.0, 2)


def test_a_majority_is_more_than_half_of_all() -> None:
    assert majority({"a": "x", "b": "x", "c": "y"}) == "x"
    assert majority({"a": "x", "b": "y"}) is None
    assert majority({"a": "x", "b": "x", "c": "y", "d": "z"}) is None
    assert majority({}) is None


@given(tables, st.permutations("abcd"), st.permutations("xyz"))
def test_no_measure_depends_on_who_is_who_or_which_word_is_which(
    ratings: Ratings, raters: Sequence[str], words: Sequence[str]
) -> None:
    rater, word = dict(zip("abcd", raters, strict=True)), dict(zip("xyz", words, strict=True))
    other: Ratings = {
        thing: {rater[who]: word[said] for who, said in row.items()} for thing, row in reversed([*ratings.items()])
    }
    for measure in MEASURES:
        assert measure(other) == pytest.approx(measure(ratings))
    kappa = cohen_kappa(ratings, "a", "b")
    assert cohen_kappa(other, rater["a"], rater["b"]) == pytest.approx(kappa)


@given(tables)
def test_perfect_agreement_is_one_or_not_defined_and_no_measure_is_above_one(ratings: Ratings) -> None:
    for measure in MEASURES:
        assert (measure(ratings) or 0) <= 1 + 1e-12
        same: Ratings = {thing: dict.fromkeys(row, min(row.values())) for thing, row in ratings.items() if row}
        assert measure(same) in (None, pytest.approx(1))
