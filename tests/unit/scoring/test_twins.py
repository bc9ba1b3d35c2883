"""Numbers of fixed twins, by hand (docs/numbers.md)."""

from __future__ import annotations

import random
from typing import Any, get_args

from pytest_reviewbench.model import BugFact, Status, Verdict
from pytest_reviewbench.scoring.counts import by_language, by_rep, by_severity, count
from pytest_reviewbench.scoring.original import original_row
from pytest_reviewbench.scoring.outcomes import Judging, Outcome
from pytest_reviewbench.scoring.spending import cost_sources

BUGS = (BugFact(id="A", severity="high"), BugFact(id="B"))


def review(case: str, hit: bool = False, rep: int = 1, status: Status = "ok", **keys: Any) -> Outcome:
    """A review with one finding, which names bug A or nothing."""
    hits = {"f": ("A",)} if hit else {}
    values = {"case": case, "rep": rep, "status": status, "lang": "python", "bugs": BUGS, "findings": ("f",)}
    return Outcome(**{**values, "hits": hits, **keys})


def test_a_guesser_that_names_every_mechanism_tells_nothing_apart() -> None:
    outcomes = [review(name, hit=True) for n in range(4) for name in (f"c{n}", f"c{n}.twin")]
    numbers = count(outcomes)
    assert numbers["recall_strict"] == 0.5  # one of two bugs each
    assert (numbers["hallucinated_hit_rate"], numbers["discrimination"]) == (1.0, 0.0)
    assert (numbers["twins_claimed"], numbers["twins_counted"], numbers["twins_told_apart"]) == (4, 4, 0)


def test_a_case_is_told_apart_when_it_is_hit_and_its_twin_is_not() -> None:
    numbers = count(
        [
            *(review("hit-only", hit=True), review("hit-only.twin")),
            *(review("both", hit=True), review("both.twin", hit=True)),
            *(review("neither"), review("neither.twin")),
            *(review("twin-only"), review("twin-only.twin", hit=True)),
        ]
    )
    assert (numbers["twins_told_apart"], numbers["twin_pairs"], numbers["discrimination"]) == (1, 4, 0.25)
    assert (numbers["twins_claimed"], numbers["hallucinated_hit_rate"]) == (2, 0.5)


def test_reps_are_averaged_within_a_case_first_whatever_their_numbers() -> None:
    # a: hit in 2 of 3, its twin in 1 of 2: 2/3 · 1/2 = 1/3. b: hit in 1 of 1, its twin in 0 of 1: 1.
    outcomes = [
        *(review("a", hit=rep != 2, rep=rep) for rep in (1, 2, 3)),
        *(review("a.twin", hit=rep == 2, rep=rep) for rep in (1, 2)),
        *(review("b", hit=True, rep=3), review("b.twin", rep=1)),
    ]
    random.Random(1).shuffle(outcomes)
    numbers = count(outcomes)
    assert numbers["discrimination"] == 2 / 3  # (1/3 + 1) / 2
    assert numbers["hallucinated_hit_rate"] == 1 / 4  # (1/2 + 0) / 2
    assert (numbers["twins"], numbers["twins_used"]) == (2, 3)
    assert by_rep(outcomes)["1"]["discrimination"] == 1  # a alone has both there


def test_only_used_reviews_count_and_the_others_have_their_columns() -> None:
    others = sorted(set(get_args(Status)) - {"ok"})
    outcomes = [review(f"c{n}.twin", hit=True, status=status) for n, status in enumerate(others)]
    outcomes += [review(f"c{n}", hit=True) for n in range(len(others))]
    numbers = count(outcomes)
    assert {status: numbers[f"twins_{status}"] for status in others} == dict.fromkeys(others, 1)
    assert (numbers["hallucinated_hit_rate"], numbers["discrimination"]) == (None, None)
    assert (numbers["twins"], numbers["twins_used"], numbers["twin_pairs"]) == (len(others), 0, 0)
    # A twin whose case has no used review is no pair, and still a twin.
    numbers = count(
        [review("c", status="error"), review("c.twin"), review("d.twin"), review("e.twin", tainted=True)]
    )
    assert (numbers["twins_counted"], numbers["twins_tainted"], numbers["twin_pairs"]) == (2, 1, 0)
    assert (numbers["hallucinated_hit_rate"], numbers["discrimination"]) == (0.0, None)


def test_twins_are_in_no_other_number() -> None:
    judging = Judging(verdicts={"f": Verdict(verdict="real")}, sessions=("s",), costs=(1.0,))
    cases = [
        review("a", hit=True, seconds=1.0, cost_usd=0.5, cost_source="reported", judging=judging),
        review("b", status="unparsable", seconds=2.0),
    ]
    paid: dict[str, Any] = {"seconds": 30.0, "cost_usd": 4.0, "cost_source": "priced", "touches_fix": {"f": True}}
    twins = [
        review("a.twin", hit=True, gone_when_fixed={"f": True}, rerun_seconds=9.0, judging=judging, **paid),
        review("b.twin", lang="shell", skill_loaded=True, **paid),
        review("c.twin", status="crashed"),
    ]
    alone, beside = count(cases), count([*cases, *twins])
    own = {name for name in alone if name.startswith("twin")} | {"hallucinated_hit_rate", "discrimination"}
    assert {n: v for n, v in beside.items() if n not in own} == {n: v for n, v in alone.items() if n not in own}
    assert (beside["twins_seconds"], beside["twins_cost_usd"], beside["twins_cost_known"]) == (60, 8, 2)
    assert by_severity([*cases, *twins]) == by_severity(cases)
    assert cost_sources([*cases, *twins]) == cost_sources(cases)
    assert original_row("x", [*cases, *twins]) == original_row("x", cases)
    assert by_language([*cases, *twins])["shell"]["cases"] == 0


def test_evidence_of_the_fixed_version_is_counted_apart() -> None:
    # Of three findings one is gone, one still there, of one it is not known; reps: 1 and 0 gone are 1/2.
    gone = {"x": True, "y": False, "z": None}
    first = review("a", findings=tuple(gone), gone_when_fixed=gone, rerun_seconds=0.25)
    second = review("a", rep=2, findings=("x",), gone_when_fixed={"x": None})
    numbers = count([first, second])
    assert (numbers["gone_when_fixed"], numbers["gone_when_fixed_known"]) == (0.5, 1)
    assert numbers["rerun_seconds"] == 0.25
    assert count([second])["gone_when_fixed"] is None
    assert numbers["precision_strict"] == 0  # never a verdict
