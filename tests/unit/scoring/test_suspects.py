"""Labels that what reviewers found speaks against."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_reviewbench.model import BugFact, Verdict, VerdictWord
from pytest_reviewbench.scoring.outcomes import Judging, Outcome, Place
from pytest_reviewbench.scoring.suspects import near, suspicions


def outcome(case: str, *, bug: bool, line: int = 0, word: VerdictWord | None = None, **more: Any) -> Outcome:
    """A review with one finding at `line` (0: none)."""
    verdict = Verdict(verdict=word, bugs=("b1",) if word == "gt_same" else ()) if word else None
    return Outcome(
        case=case,
        rep=1,
        status="ok",
        bugs=(BugFact(id="b1"),) if bug else (),
        findings=("f",) if line else (),
        places={"f": Place("a.py", line, None)} if line else {},
        judging=Judging({"f": verdict} if verdict and line else {}) if word else None,
        **more,
    )


def kinds(arms: dict[str, list[Outcome]]) -> list[tuple[str, str, str | None]]:
    return [(one.kind, one.case, one.bug) for one in suspicions(arms)]


def test_a_clean_control_is_suspect_where_arms_share_a_finding_that_is_judged_real() -> None:
    def arms(line: int, word: VerdictWord) -> dict[str, list[Outcome]]:
        return {"x": [outcome("c", bug=False, line=10, word=word)], "y": [outcome("c", bug=False, line=line)]}

    assert kinds(arms(13, "real")) == [("clean", "c", None)]
    assert kinds(arms(14, "real")) == []
    assert kinds(arms(10, "not_a_bug")) == []
    assert kinds({"x": arms(10, "real")["x"] * 2}) == []  # one arm agrees with itself


def test_a_twin_is_suspect_without_a_verdict() -> None:
    arms = {name: [outcome("c.twin", bug=True, line=10)] for name in ("x", "y")}
    assert kinds(arms) == [("twin", "c.twin", None)]


@pytest.mark.parametrize(
    ("last", "suspect"),
    [
        ({}, True),
        ({"line": 5, "hits": {"f": ("b1",)}}, False),
        ({"line": 5, "word": "gt_same", "hits": {"f": ("b1",)}}, False),
        ({"tainted": True}, False),
    ],
)
def test_a_bug_is_suspect_when_four_arms_tried_and_none_found_it(last: dict[str, Any], suspect: bool) -> None:
    arms = {name: [outcome("c", bug=True)] for name in ("w", "x", "y")} | {"z": [outcome("c", bug=True, **last)]}
    assert kinds(arms) == ([("never_found", "c", "b1")] if suspect else [])


def test_a_regex_is_suspect_that_disagrees_with_a_verdict() -> None:
    hits = {"f": ("b1",)}
    assert kinds({"x": [outcome("c", bug=True, line=1, word="real", hits=hits)]}) == [("overreach", "c", "b1")]
    assert kinds({"x": [outcome("c", bug=True, line=1, word="gt_same")]}) == [("miss", "c", "b1")]
    assert kinds({"x": [outcome("c", bug=True, line=1, word="gt_same", hits=hits)]}) == []
    assert kinds({"x": [outcome("c", bug=True, line=1, word="unverifiable", hits=hits)]}) == []


def test_what_has_no_line_is_near_nothing() -> None:
    assert not near(Place("a", None, None), Place("a", None, None))
    assert near(Place("a", 1, 9), Place("a", 12, None))
    assert near(Place("a", 12, None), Place("a", 1, 9))
