"""Two arms side by side, what repetitions share, and what a bug costs."""

from __future__ import annotations

import dataclasses

import pytest

from pytest_reviewbench.model import BugFact
from pytest_reviewbench.scoring.counts import count
from pytest_reviewbench.scoring.frontier import frontier
from pytest_reviewbench.scoring.outcomes import Judging, Outcome, Place
from pytest_reviewbench.scoring.pairs import count_pair

A, B = BugFact(id="A"), BugFact(id="B")


def review(case: str, hits: str = "", *, rep: int = 1, bugs: str = "A", cost: float | None = None) -> Outcome:
    return Outcome(
        case=case,
        rep=rep,
        status="ok",
        bugs=tuple(BugFact(id=name) for name in bugs),
        findings=tuple(f"f{name}" for name in hits),
        places={f"f{name}": Place("a.py", 10 * n, None) for n, name in enumerate(hits, 1)},
        hits={f"f{name}": (name,) for name in hits},
        cost_usd=cost,
        cost_source="none" if cost is None else "reported",
    )


def test_a_case_is_solved_when_all_its_bugs_are_hit() -> None:
    counts = count_pair(
        [review("c1", "A", bugs="AB"), review("c2", "A")], [review("c1", "AB", bugs="AB"), review("c2")]
    )
    assert (counts.both, counts.only_a, counts.only_b, counts.neither) == (0, 1, 1, 0)
    assert (counts.bugs, counts.bugs_a, counts.bugs_b) == (3, 2, 2)


def test_of_repetitions_more_than_half_must_solve_it() -> None:
    twice = [review("c1", "A", rep=1), review("c1", "", rep=2)]
    thrice = [review("c1", "A", rep=1), review("c1", "A", rep=2), review("c1", "", rep=3)]
    counts = count_pair(twice, thrice)
    assert (counts.both, counts.only_a, counts.only_b) == (0, 0, 1)
    assert counts.bugs_a == 0.5
    assert counts.bugs_b == pytest.approx(2 / 3)


def test_clean_controls_and_cases_of_one_arm_alone_are_in_no_test() -> None:
    a = [review("c1", "A"), review("c2", "", bugs=""), review("c3", "A")]
    b = [review("c1", ""), review("c2", "", bugs=""), Outcome(case="c3", rep=1, status="error", bugs=(A,))]
    counts = count_pair(a, b)
    assert (counts.cases, counts.bugs, counts.only_a, counts.neither) == (2, 1, 1, 0)
    assert count_pair([review("c2", "", bugs="")], [review("c2", "", bugs="")]).p is None


def test_costs_are_compared_case_by_case_where_both_are_known() -> None:
    """Ratios 2, 4, 1 (median 2); medians 4 and 2."""
    a = [
        review("c1", cost=2),
        review("c2", cost=4),
        review("c3", cost=5),
        review("c4", cost=7),
        review("c5", cost=0),
    ]
    b = [review("c1", cost=1), review("c2", cost=1), review("c3", cost=5), review("c4"), review("c5", cost=1)]
    counts = count_pair(a, b)
    assert (counts.cost_ratio, counts.cost_ratio_of_medians, counts.cost_cases) == (2, 4, 3)
    assert count_pair([review("c1")], [review("c1", cost=1)]).cost_ratio is None


def test_the_more_even_the_difference_the_fewer_cases_are_needed() -> None:
    a = [review(f"c{n}", "A" if n % 2 else "") for n in range(20)]
    b = [review(f"c{n}", "" if n % 2 else "A") for n in range(20)]
    some = [review(f"c{n}", "A" if n == 1 else "") for n in range(20)]
    assert (count_pair(a, b).needed_cases or 0) > (
        count_pair(some, [review(f"c{n}") for n in range(20)]).needed_cases or 0
    )
    assert count_pair(a, a).needed_cases is None


def test_the_frontier_has_the_arms_that_none_beats_in_both() -> None:
    quality = {"cheap": 0.2, "good": 0.6, "worse": 0.5, "dear": 0.6, "free": None, "twin": 0.2}
    cost = {"cheap": 1.0, "good": 2.0, "worse": 2.5, "dear": 3.0, "free": 0.0, "unknown": None, "twin": 1.0}
    assert frontier(quality, cost) == ["cheap", "twin", "good"]
    assert frontier({"x": 0.9}, {"x": None}) == []


def test_what_repetitions_share_is_over_the_cases_used_in_all_of_them() -> None:
    reps = [
        review("c1", "AB", rep=1, bugs="AB"),
        review("c1", "A", rep=2, bugs="AB"),
        review("c2", "", rep=1),
        review("c2", "A", rep=2),
        review("c3", "A", rep=1),
    ]
    numbers = count(reps)
    assert numbers["reps"] == 2
    assert numbers["recall_pass_k"] == pytest.approx(1 / 3)
    assert numbers["recall_any_k"] == 1
    assert numbers["recall_spread"] == 0  # 2 of 3 in both
    assert numbers["repeatability"] == pytest.approx(2 / (3 + 1))
    assert count(reps[:1])["recall_pass_k"] is None


def test_findings_three_lines_apart_are_in_the_same_place_and_none_counts_twice() -> None:
    def at(rep: int, *lines: int | None) -> Outcome:
        places = {f"f{n}": Place("a.py", line, None) for n, line in enumerate(lines)}
        return dataclasses.replace(review("c", rep=rep), findings=tuple(places), places=places)

    def repeated(*reps: Outcome) -> object:
        return count(reps)["repeatability"]

    assert repeated(at(1, 10), at(2, 13)) == 1
    assert repeated(at(1, 10), at(2, 14)) == 0
    assert repeated(at(1, 10, 11), at(2, 10)) == pytest.approx(2 / 3)
    assert repeated(at(1, None), at(2, 1)) == 0
    assert repeated(at(1), at(2)) is None
    assert repeated(at(1, 5, 8, 11), at(2, 2, 8, 14)) == 1


def test_a_bug_costs_what_one_pass_costs_by_the_bugs_it_found() -> None:
    reps = [review("c1", "A", rep=1, cost=1), review("c1", "", rep=2, cost=3), review("c2", "A", rep=1, cost=2)]
    numbers = count(reps)
    assert numbers["cost_per_review_usd"] == 2  # (2 + 2) / 2 cases
    assert numbers["cost_per_bug_usd"] == pytest.approx(4 / 1.5)
    assert numbers["cost_per_bug_verified_usd"] is None


def test_one_unknown_cost_makes_the_price_of_a_bug_unknown_and_no_bug_has_none() -> None:
    assert count([review("c1", "A", cost=1), review("c2", "A")])["cost_per_bug_usd"] is None
    assert count([review("c1", "", cost=1)])["cost_per_bug_usd"] is None
    failed = Outcome(case="c2", rep=1, status="error", bugs=(A,), cost_usd=3.0, cost_source="reported")
    assert count([review("c1", "A", cost=1), failed])["cost_per_bug_usd"] == 4


def test_verification_is_added_apart() -> None:
    judged = dataclasses.replace(review("c1", "A", cost=1), judging=Judging(None, sessions=("s",), costs=(0.5,)))
    numbers = count([judged])
    assert (numbers["cost_per_bug_usd"], numbers["cost_per_bug_verified_usd"]) == (1, 1.5)
    unknown = dataclasses.replace(judged, judging=Judging(None, sessions=("s",), costs=(None,)))
    assert count([unknown])["cost_per_bug_verified_usd"] is None


def test_bugs_without_regexes_have_no_strict_numbers() -> None:
    numbers = count([dataclasses.replace(review("c1", "A"), judged_only=True)])
    for name in (
        "recall_strict",
        "precision_strict",
        "precision_bugs_all",
        "bugs_hit",
        "duplicates",
        "discrimination",
    ):
        assert numbers[name] is None
    assert (numbers["bugs"], numbers["findings"]) == (1, 1)
