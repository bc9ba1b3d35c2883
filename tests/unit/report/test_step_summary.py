"""The report on the page of a CI job, and how it reads in a pull request."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from pytest_reviewbench.report.build import arm_report
from pytest_reviewbench.report.markdown import markdown
from pytest_reviewbench.report.step_summary import MOST_BYTES, SHORTEST, VARIABLE, add_step_summary, fitting
from pytest_reviewbench.scoring.intervals import Ends
from pytest_reviewbench.scoring.uncertainty import Measured
from tests.unit.report.test_renderings import made_report, outcomes


def test_a_pull_request_is_told_the_headline_and_the_rest_is_folded() -> None:
    report = made_report({"a": outcomes(4), "b": outcomes(4)})
    ends = {"recall_strict": Measured(2 / 3, Ends(0.25, 0.75))}
    arms = {"a": arm_report(outcomes(4), ends), "b": report.arms["b"]}
    text = markdown(msgspec.structs.replace(report, arms=arms))
    head, _, rest = text.partition("<details>")
    assert "| a | 3/4 | 2/3 | 0.667 (0.25 to 0.75) |" in head
    assert "<summary>By case</summary>\n\n|" in rest
    assert text.count("<details>") == text.count("</details>") == len(re.findall("<summary>.+</summary>", text))
    assert re.sub(r"<details>.*?</details>", "", text, flags=re.S).count("\n") < 40, "short while nothing is opened"


def test_a_title_is_text_and_no_markup() -> None:
    report = made_report({"a": outcomes(4)}, verifier="<img src=x>", verified=True, unjudged=("c: <b>why</b>",))
    text = markdown(report)
    assert "<img" not in text
    assert "<b>" not in text


def test_nothing_is_written_where_no_summary_is_asked_for(tmp_path: Path) -> None:
    report = made_report({"a": outcomes(2)})
    assert add_step_summary(report, {}) is None
    assert add_step_summary(report, {VARIABLE: ""}) is None
    assert [*tmp_path.iterdir()] == []


def test_the_report_is_added_to_what_the_step_has_said(tmp_path: Path) -> None:
    place = tmp_path / "summary"
    place.write_text("before\n")
    report = made_report({"a": outcomes(2)})
    for times in (1, 2):
        assert add_step_summary(report, {VARIABLE: str(place)}) is None
        assert place.read_text() == "before\n" + markdown(report) * times


def test_a_report_without_room_is_shorter_and_says_what_is_left_out(tmp_path: Path) -> None:
    place = tmp_path / "summary"
    report = made_report({"a": outcomes(30)})
    whole, brief = markdown(report), markdown(report, brief=True)
    assert fitting(report, len(whole.encode())) == whole
    assert fitting(report, len(whole.encode()) - 1) == brief
    assert "| a |" in brief
    assert "Left out for want of room, all in report.md: Bugs found and findings that match" in brief
    assert fitting(report, len(brief.encode()) - 1) == SHORTEST
    assert fitting(report, 10) == ""
    place.write_bytes(b"x" * (MOST_BYTES - len(brief.encode()) - 9))
    assert add_step_summary(report, {VARIABLE: str(place)}) is None
    assert place.read_text().endswith(brief)
    assert place.stat().st_size <= MOST_BYTES


def test_a_summary_that_cannot_be_written_is_a_line_and_no_failure(tmp_path: Path) -> None:
    said = add_step_summary(made_report({"a": outcomes(2)}), {VARIABLE: str(tmp_path / "none" / "there")})
    assert said is not None
    assert said.startswith(f"{VARIABLE}={tmp_path}")
    assert "No such file" in said
