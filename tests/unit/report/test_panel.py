"""Several verifiers on the same findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_reviewbench import codec
from pytest_reviewbench.errors import RunError
from pytest_reviewbench.model import Finding, Verdict, Verdicts, VerdictWord
from pytest_reviewbench.report.build import build_report
from pytest_reviewbench.report.document import Report
from pytest_reviewbench.report.terminal import terminal_lines
from pytest_reviewbench.runs.folder import RunFolder
from tests.unit.runs.making import make_run, matches, review

FINDINGS = tuple(Finding(id=name, file="a.py", line=n, text=f"text {name}") for n, name in enumerate("fgh", 1))


def judge(run: RunFolder, verifier: str, **words: VerdictWord) -> None:
    """Verdicts on the findings of case a1."""
    said = {
        name: Verdict(verdict=word, bugs=("b1",) if word == "gt_same" else (), reason="a secret reason")
        for name, word in words.items()
    }
    run.write_verdicts(Verdicts(case="a1", verifier=verifier, verdicts=said, corpus_sha256="0" * 64))


def judged_run(tmp_path: Path, arm: str = "arm") -> RunFolder:
    run = make_run(tmp_path, arm=arm, cases=("a1",))
    run.write_review(review("a1", findings=FINDINGS), matches("a1"), "")
    run.finish()
    return run


@pytest.fixture
def report(tmp_path: Path) -> Report:
    run, other = judged_run(tmp_path), judged_run(tmp_path, "other")
    for one in (run, other):
        judge(one, "judge-x", f="gt_same", g="real", h="not_a_bug")
        judge(one, "judge-y", f="gt_same", g="not_a_bug", h="not_a_bug")
    return build_report([run, other])


def test_a_finding_of_several_arms_counts_once_in_their_agreement(report: Report) -> None:
    panel = report.panel
    assert panel is not None
    assert panel.words.findings == 3
    assert panel.words.raw == pytest.approx(2 / 3)
    (pair,) = panel.pairs
    assert (pair.a, pair.b, pair.findings, pair.agreed) == ("judge-x", "judge-y", 3, 2)
    assert pair.kappa == pytest.approx(0.5)


def test_disputed_findings_are_named_with_the_words_and_without_reasons(report: Report) -> None:
    assert report.panel is not None
    (one,) = report.panel.disputed
    assert (one.case, one.finding, one.arms) == ("a1", "g", ("arm", "other"))
    assert one.words == {"judge-x": "real", "judge-y": "not_a_bug"}
    shown = "\n".join(terminal_lines(report, every_row=True))
    assert "Disputed findings" in shown
    assert "secret" not in shown + codec.encode(report).decode()


def test_a_tie_is_unverifiable_for_the_majority(report: Report) -> None:
    numbers = report.arms["arm"].by_verifier["majority"]
    assert [numbers[word] for word in ("gt_same", "real", "not_a_bug", "unverifiable")] == [1, 0, 1, 1]
    assert numbers["recall_adjudicated"] == 1


def test_a_report_can_count_the_majority_of_three(tmp_path: Path) -> None:
    run = judged_run(tmp_path)
    judge(run, "judge-x", f="gt_same", g="real", h="not_a_bug")
    judge(run, "judge-y", f="not_a_bug", g="real", h="not_a_bug")
    judge(run, "human-z", f="gt_same", g="not_a_bug", h="real")
    made = build_report([run], verifier="majority")
    assert made.verifier == "majority"
    assert made.verifiers == ("human-z", "judge-x", "judge-y")
    assert made.arms["arm"].numbers["precision_verified"] == pytest.approx(2 / 3)


def test_one_verifier_is_no_panel_and_no_majority(tmp_path: Path) -> None:
    run = judged_run(tmp_path)
    judge(run, "judge-x", f="gt_same", g="real", h="not_a_bug")
    assert build_report([run]).panel is None
    with pytest.raises(RunError, match=r"they have those of judge-x\Z"):
        build_report([run], verifier="majority")


def test_a_review_that_one_of_two_has_judged_has_no_majority(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    for case in ("a1", "a2"):
        run.write_review(review(case, findings=FINDINGS), matches(case), "")
    run.finish()
    judge(run, "judge-x", f="gt_same", g="real", h="not_a_bug")
    judge(run, "judge-y", f="gt_same", g="real", h="not_a_bug")
    said = {name: Verdict(verdict="real") for name in "fgh"}
    run.write_verdicts(Verdicts(case="a2", verifier="judge-x", verdicts=said, corpus_sha256="0" * 64))
    made = build_report([run], verifier="majority")
    assert made.arms["arm"].numbers["judged"] == 1
    assert made.unjudged == ("a2: fewer than two verifiers have judged it",)


def test_human_labels_correct_a_judge_beside_its_raw_share(tmp_path: Path) -> None:
    run = make_run(tmp_path, cases=("a1",))
    names = [f"f{n}" for n in range(20)]
    found = tuple(Finding(id=name, file="a.py", line=1, text=name) for name in names)
    run.write_review(review("a1", findings=found), matches("a1"), "")
    run.finish()
    person: dict[str, VerdictWord] = {name: "real" if n < 10 else "not_a_bug" for n, name in enumerate(names)}
    judge(run, "human-z", **person)
    judge(run, "judge-x", **(person | {"f0": "not_a_bug", "f10": "real", "f11": "real"}))
    true, same = build_report([run], verifier="judge-x").corrected
    assert (true.of, true.raw, true.sensitivity, true.specificity) == ("true", 0.55, 0.9, 0.8)
    assert true.value == pytest.approx(0.5)
    assert (same.of, same.value, same.positive) == ("gt_same", None, 0)
