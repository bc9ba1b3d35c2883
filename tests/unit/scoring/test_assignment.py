"""Duplicates without an order: a largest assignment of findings to bugs."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_reviewbench.scoring.assignment import distinct_matches

HITS = st.dictionaries(
    st.sampled_from("pqrstu"), st.lists(st.sampled_from("ABCD"), min_size=1, max_size=4, unique=True), max_size=6
)


def by_trying_everything(hits: Mapping[str, Sequence[str]]) -> int:
    """The definition itself: the most findings that can each be given a bug of their own."""
    choices = [[None, *bugs] for bugs in hits.values()]
    best = 0
    for chosen in itertools.product(*choices):
        given_away = [bug for bug in chosen if bug is not None]
        if len(set(given_away)) == len(given_away):
            best = max(best, len(given_away))
    return best


@pytest.mark.parametrize(
    ("hits", "distinct"),
    [
        ({}, 0),
        ({"p": "A"}, 1),
        ({"p": "A", "q": "A"}, 1),
        ({"p": "AB"}, 1),
        ({"p": "AB", "q": "A"}, 2),
        ({"p": "A", "q": "AB"}, 2),
        ({"p": "AB", "q": "AB"}, 2),
        ({"p": "AB", "q": "AB", "r": "AB"}, 2),
        ({"p": "AB", "q": "BC", "r": "CA", "s": "A"}, 3),
    ],
)
def test_as_many_findings_as_can_each_have_a_bug_of_their_own(hits: dict[str, str], distinct: int) -> None:
    assert distinct_matches(hits) == distinct


@given(HITS)
def test_no_assignment_is_larger(hits: dict[str, list[str]]) -> None:
    assert distinct_matches(hits) == by_trying_everything(hits)


@given(HITS, st.integers())
def test_neither_order_nor_names_of_findings_matter(hits: dict[str, list[str]], seed: int) -> None:
    chance = random.Random(seed)
    rows = [chance.sample(bugs, len(bugs)) for bugs in hits.values()]
    chance.shuffle(rows)
    assert distinct_matches({f"f{n}": bugs for n, bugs in enumerate(rows)}) == distinct_matches(hits)


def test_five_thousand_findings_on_one_bug_and_on_a_chain_of_bugs_end() -> None:
    assert distinct_matches({f"f{n}": ("A",) for n in range(5000)}) == 1
    chain = {f"f{n:04}": (f"b{n:04}", f"b{n + 1:04}") for n in range(5000)}
    assert distinct_matches(chain) == 5000


def test_a_long_augmenting_path_does_not_exhaust_the_stack() -> None:
    """Each new finding pushes all the earlier ones along: a bug each, and a bug is left for the last."""
    names = [f"f{n:04}" for n in range(2000)]
    hits: dict[str, tuple[str, ...]] = {name: (f"b{n:04}", f"b{n + 1:04}") for n, name in enumerate(names)}
    hits["z"] = ("b0000",)
    assert distinct_matches(hits) == 2001
