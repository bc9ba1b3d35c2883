"""Verdicts in a run folder."""

from __future__ import annotations

from pathlib import Path

from pytest_reviewbench.model import Error, Finding, Verdict, Verdicts
from pytest_reviewbench.report.build import build_report
from pytest_reviewbench.report.markdown import markdown
from pytest_reviewbench.report.terminal import terminal_lines
from pytest_reviewbench.runs.folder import RunFolder
from tests.unit.runs.making import make_run, matches, review

FINDING = Finding(id="f" * 12, text="x")


def record(case: str = "a1", word: str | None = "real", verifier: str = "judge-x", **keys: object) -> Verdicts:
    values: dict[str, object] = {"case": case, "verifier": verifier, "corpus_sha256": "0" * 64, "session": "s"}
    if word is None:
        values["error"] = Error(kind="verdicts", message="cut")
    else:
        values["verdicts"] = {FINDING.id: Verdict(verdict=word, reason="the mechanism")}  # type: ignore[arg-type]
    return Verdicts(**{**values, **keys})  # type: ignore[arg-type]


def run(tmp_path: Path, **changes: object) -> RunFolder:
    made = make_run(tmp_path, **changes)
    for case in ("a1", "a2"):
        made.write_review(review(case, findings=(FINDING,), model="m-1"), matches(case), "")
    made.finish()
    return made


def test_every_record_is_kept_and_the_latest_complete_one_counts(tmp_path: Path) -> None:
    made = run(tmp_path)
    for n, word in enumerate(("real", "not_a_bug", None)):
        made.write_verdicts(record(word=word, session=f"s{n}", cost_usd=0.3, shared_by=3))
    names = sorted(path.name for path in (made.path / "verdicts" / "judge-x").iterdir())
    assert names == ["a1.1.json", "a1.2.json", "a1.3.json"]
    numbers = build_report([made]).arms["arm"].numbers
    assert (numbers["judged"], numbers["not_a_bug"], numbers["real"]) == (1, 1, 0)
    assert (numbers["verify_sessions"], numbers["verify_cost_usd"]) == (3, 0.3)


def test_cases_whose_ids_hold_dots_and_numbers_are_not_mixed_up(tmp_path: Path) -> None:
    made = run(tmp_path)
    for case in ("a1", "a1.1", "a1.1.1"):
        made.write_verdicts(record(case))
    assert {case: len(found) for case, found in made.verdicts("judge-x").items()} == {
        "a1": 1,
        "a1.1": 1,
        "a1.1.1": 1,
    }


def test_verdicts_on_other_findings_are_not_complete(tmp_path: Path) -> None:
    made = run(tmp_path)
    made.write_verdicts(record(verdicts={"0" * 12: Verdict(verdict="real")}))
    assert build_report([made]).arms["arm"].numbers["judged"] == 0


def test_the_report_names_the_verifier_and_shows_no_reason(tmp_path: Path) -> None:
    made = run(tmp_path)
    made.write_verdicts(record(model="m-1-20260101"))
    made.write_verdicts(record("a2", None))
    report = build_report([made])
    assert (report.verified, report.verifier, report.own_model) == (True, "judge-x", ("arm",))
    for text in ("\n".join(terminal_lines(report)), markdown(report)):
        assert "Verified by judge-x" in text.replace("\\", "")
        assert "a2: cut" in text
        assert "JUDGED BY THEIR OWN MODEL" in text
        assert "mechanism" not in text


def test_several_verifiers_stand_side_by_side_and_the_one_asked_for_counts(tmp_path: Path) -> None:
    made = run(tmp_path)
    made.write_verdicts(record())
    made.write_verdicts(record(verifier="judge-y", word="not_a_bug"))
    made.write_verdicts(record("a2", verifier="judge-y", word="not_a_bug"))
    assert build_report([made]).verifier == "judge-y"
    report = build_report([made], verifier="judge-x")
    assert report.arms["arm"].numbers["precision_verified"] == 1.0
    assert report.arms["arm"].by_verifier["judge-y"]["precision_verified"] == 0.0
    assert "By verifier" in "\n".join(terminal_lines(report))
