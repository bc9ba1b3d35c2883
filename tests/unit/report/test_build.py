"""Runs put side by side."""

from __future__ import annotations

from pathlib import Path

from pytest_reviewbench.report.build import build_report
from tests.unit.runs.making import make_run, matches, review


def test_a_review_that_never_ran_has_the_language_that_another_says_of_its_case(tmp_path: Path) -> None:
    done, undone = make_run(tmp_path), make_run(tmp_path, arm="plain", cases=("a1", "a1.twin", "a2"))
    done.write_review(review("a1"), matches("a1"), "")
    report = build_report([done, undone], partial=True)
    plain = report.arms["plain"]
    assert {lang: numbers["not_run"] for lang, numbers in plain.by_language.items()} == {"python": 1, "unknown": 1}
    assert [(row.case, row.lang) for row in (*plain.cases, *plain.twins)] == [
        ("a1", "python"), ("a2", None), ("a1.twin", "python"),
    ]  # fmt: skip
