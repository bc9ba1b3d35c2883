"""Findings that are odd: calls for a reviewer, several bugs at once, one bug once more."""

from __future__ import annotations

import pytest

from pytest_reviewbench.model import BugFact, Verdict
from pytest_reviewbench.scoring.counts import by_severity, count
from pytest_reviewbench.scoring.judged_shapes import is_chatter
from pytest_reviewbench.scoring.leaderboard import leaderboard_row
from pytest_reviewbench.scoring.macro import macro_average
from pytest_reviewbench.scoring.outcomes import Judging, Outcome


@pytest.mark.parametrize(
    "text", ["@finder", "@finder review", "/finder review", "Finder review", "@finder[bot] please review", " @x \n"]
)
def test_a_call_for_a_reviewer_is_chatter(text: str) -> None:
    assert is_chatter(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "typo",
        "@Override is missing",
        "/tmp race",
        "This needs review by someone",
        "/etc/passwd is read here again",
        "@finder " + "x" * 80,
        "review",
        "off by one",
    ],
)
def test_what_claims_something_is_not(text: str) -> None:
    assert not is_chatter(text)


def judged(case: str, verdicts: dict[str, Verdict], bugs: int = 2, rep: int = 1, **keys: object) -> Outcome:
    facts = tuple(BugFact(id=f"b{n}", severity="high") for n in range(1, bugs + 1))
    fields = {"bugs": facts, "findings": tuple(verdicts), "judging": Judging(verdicts), "lang": "go", **keys}
    return Outcome(case=case, rep=rep, status="ok", **fields)  # type: ignore[arg-type]


def same(*bugs: str) -> Verdict:
    return Verdict(verdict="gt_same", bugs=bugs)


def test_duplicates_by_verdicts_are_what_no_bug_is_left_for() -> None:
    both = judged("a", {"f1": same("b1", "b2"), "f2": same("b2"), "f3": same("b2"), "f4": same()})
    n = count([both])
    assert (n["findings_on_several_bugs"], n["duplicates_judged"]) == (1, 2)
    assert count([Outcome(case="a", rep=1, status="ok", bugs=())])["duplicates_judged"] is None


def test_reps_are_averaged_before_anything_is_summed() -> None:
    n = count([judged("a", {"f1": same("b1")}, rep=1), judged("a", {}, rep=2)])
    assert (n["empty"], n["macro_recall_judged"], n["macro_precision_judged"]) == (0.5, 0.25, 1.0)
    assert n["macro_precision_judged_all"] == 0.5
    assert macro_average([[None], [0.5, None], [0, 1]]) == 0.5
    assert macro_average([[None], []]) is None


def test_a_leaderboard_counts_by_the_matcher_where_nobody_judged() -> None:
    facts = (BugFact(id="b1"), BugFact(id="b2"))
    found = Outcome(case="a", rep=1, status="ok", bugs=facts, findings=("f1", "f2"), hits={"f1": ("b1",)})
    failed = Outcome(case="b", rep=1, status="error")
    left = Outcome(case="c", rep=1, status="not_attempted")
    row = leaderboard_row("x", [found, failed, left])
    assert (row["counted_by"], row["num_prs"], row["errors"]) == ("matcher", 1, 1)
    assert (row["tp"], row["fp"], row["fn"], row["precision"], row["recall"]) == (1, 1, 1, 50.0, 50.0)
    empty = leaderboard_row("x", [failed])
    assert (empty["precision"], empty["recall"], empty["f1"], empty["num_prs"]) == (0.0, 0.0, 0.0, 0)


def test_without_regexes_and_verdicts_a_leaderboard_knows_next_to_nothing() -> None:
    said = Outcome(
        case="a", rep=1, status="ok", bugs=(BugFact(id="b1", severity="low"),), findings=("f",), judged_only=True
    )
    row = leaderboard_row("x", [said])
    assert (row["counted_by"], row["tp"], row["recall"], row["total_candidates"]) == (None, None, None, 1)
    assert by_severity([said])["low"] == {"bugs": 1, "bugs_hit": None, "recall_strict": None}
