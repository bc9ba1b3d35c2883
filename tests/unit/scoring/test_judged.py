"""The numbers that need verdicts (docs/numbers.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from pytest_reviewbench.model import BugFact, Verdict, VerdictWord
from pytest_reviewbench.scoring.counts import count
from pytest_reviewbench.scoring.original import original_row
from pytest_reviewbench.scoring.outcomes import Judging, Outcome

A, B = BugFact(id="A"), BugFact(id="B")


def judged(
    said: Mapping[str, VerdictWord | tuple[str, ...]],
    hits: Mapping[str, tuple[str, ...]] | None = None,
    bugs: tuple[BugFact, ...] = (A, B),
    case: str = "c",
    rep: int = 1,
) -> Outcome:
    """A used review whose findings got these verdicts; a tuple is `gt_same` as these bugs."""
    verdicts = {
        name: Verdict(verdict="gt_same", bugs=word) if isinstance(word, tuple) else Verdict(verdict=word)
        for name, word in said.items()
    }
    held = Judging(verdicts, sessions=(f"{case}-1",), costs=(0.25,))
    return Outcome(case=case, rep=rep, status="ok", bugs=bugs, findings=tuple(said), hits=hits or {}, judging=held)


def unjudged(o: Outcome) -> Outcome:
    return replace(o, judging=Judging(None, sessions=("s",), failed=1, costs=(None,), reason="cut"))


def test_verified_numbers_are_over_judged_reviews_only() -> None:
    one = judged({"f": ("A",), "g": "real", "h": "not_a_bug", "i": "unverifiable"}, {"h": ("B",)})
    other = unjudged(judged({"f": "not_a_bug"}, case="d"))
    n = count([one, other])
    assert (n["used"], n["judged"], n["verify_failed"]) == (2, 1, 1)
    assert (n["recall_adjudicated"], n["precision_verified"]) == (0.5, 0.5)
    assert (n["unverifiable_share"], n["precision_verified_decided"]) == (0.25, 2 / 3)
    assert (n["matcher_misses"], n["matcher_overreach"]) == (1, 1)
    assert n["precision_bugs_judged"] == 0.25  # 1 bug / (1 + 3 findings that are not the same)
    assert (n["recall_strict"], n["precision_strict"]) == (0.25, 0.2)  # over both: they need no verdict


def test_nothing_judged_is_null_and_nothing_unjudged_counts_as_false() -> None:
    n = count([unjudged(judged({"f": "real"}))])
    for name in ("recall_adjudicated", "precision_verified", "matcher_misses", "matcher_overreach"):
        assert n[name] is None
    assert (n["judged"], n["not_a_bug"], n["verify_cost_usd"], n["verify_sessions"]) == (0, 0, None, 1)


def test_a_session_that_served_several_reps_is_counted_once() -> None:
    reps = [judged({"f": "real"}, case=case, rep=rep) for case in ("c", "d") for rep in (1, 2)]
    n = count(reps)
    assert (n["verify_sessions"], n["verify_cost_known"], n["verify_cost_usd"]) == (2, 4, 1.0)


def test_a_review_without_findings_is_judged_and_misses_its_bugs() -> None:
    n = count([judged({})])
    assert (n["judged"], n["recall_adjudicated"], n["precision_verified"]) == (1, 0.0, None)


def test_one_bug_named_by_several_findings_is_named_once() -> None:
    n = count([judged({"f": ("A",), "g": ("A",), "h": ("A", "B")})])
    assert (n["bugs_named"], n["recall_adjudicated"], n["precision_bugs_judged"]) == (2, 1.0, 1.0)


def test_clean_controls_are_false_alarms_only_where_a_finding_is_not_a_bug() -> None:
    said: list[Mapping[str, VerdictWord]] = [
        {"f": "not_a_bug", "g": "real"},
        {"f": "real"},
        {"f": "unverifiable"},
        {},
    ]
    n = count([judged(words, bugs=(), case=f"c{k}") for k, words in enumerate(said)])
    assert (n["false_alarms_judged"], n["false_alarms_clean"]) == (0.25, 0.75)


def test_repetitions_are_averaged_within_a_case() -> None:
    outcomes = [judged({"f": ("A",)}, bugs=(A,)), *(judged({}, bugs=(A,), case="d", rep=k) for k in (1, 2, 3))]
    assert count(outcomes)["recall_adjudicated"] == 0.5


def test_the_cost_of_verification_is_apart() -> None:
    n = count([judged({"f": "real"}), judged({"f": "real"}, case="d")])
    assert (n["verify_cost_usd"], n["cost_usd"], n["verify_cost_known"]) == (0.5, None, 2)


@pytest.mark.parametrize("with_verdicts", [True, False])
def test_the_original_columns_have_one_case_set(with_verdicts: bool) -> None:
    outcomes = [judged({"f": ("A",), "g": "not_a_bug"}), unjudged(judged({}, case="d"))]
    if not with_verdicts:
        outcomes = [replace(o, judging=None) for o in outcomes]
    row = original_row("arm", outcomes)
    expected = (1, 1, 2, 0.5, 0.5, 0.25) if with_verdicts else (2, 0, 4, None, None, None)
    names = ("cases", "errors", "bugs", "recall_adjudicated", "precision_verified", "verify_cost_usd")
    assert tuple(row[name] for name in names) == expected
