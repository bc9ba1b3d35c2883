"""A small run with everything that an export has to deal with."""

from __future__ import annotations

from pathlib import Path

from pytest_reviewbench.model import BugFact, Error, Evidence, Finding, Matches, Verdict, Verdicts
from pytest_reviewbench.runs.folder import RunFolder
from tests.unit.runs.making import make_run, review

REASON = "the loop of the known bug reads past the end"

FOUND = (
    Finding(
        id="f1", file="pkg/a b.py", line=2, end_line=4, severity="critical", text="=1+1 {0} is a formula", rule="R1"
    ),
    Finding(id="f2", text="'quoted', by\ntwo lines", severity=None),
    Finding(id="f3", file="../etc/passwd", line=1, text="outside", severity="low"),
)  # fmt: skip


def exported_run(runs: Path) -> RunFolder:
    """Cases: `a1` with three findings and verdicts, `a2` with the equal path and none judged, `a3` failed."""
    run = make_run(runs, cases=("a1", "a2", "a3"), matcher_versions={"a1": 1, "a2": 1, "a3": 1})
    matched = Matches(
        case="a1",
        lang="python",
        matcher_version=1,
        bugs=(BugFact(id="b1"), BugFact(id="b2")),
        hits={"f1": ("b1", "b2")},
        evidence={"f1": Evidence(touches_fix=True), "f2": Evidence(touches_fix=False)},
    )
    none = {"lang": "python", "matcher_version": 1, "bugs": (), "hits": {}, "evidence": {}}
    run.write_review(review("a1", findings=FOUND, cost_usd=0.5, cost_source="reported", seconds=2), matched, "")
    run.write_review(review("a2", findings=FOUND[:1]), Matches(case="a2", **none), "")  # type: ignore[arg-type]
    failed = review("a3", "unparsable", findings=FOUND[1:2], error=Error(kind="unparsable", message="no JSON"))
    run.write_review(failed, Matches(case="a3", **none), "")  # type: ignore[arg-type]
    said = {"f1": Verdict(verdict="gt_same", bugs=("b1",), reason=REASON)}
    said |= {name: Verdict(verdict="not_a_bug", reason=REASON) for name in ("f2", "f3")}
    for verdicts in ({}, said):  # the first is not complete and must not count
        record = Verdicts(case="a1", verifier="judge-x", verdicts=verdicts, corpus_sha256="0" * 64)
        run.write_verdicts(record)
    assert run.finish()
    return run
