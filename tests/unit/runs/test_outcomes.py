"""A run read back, and runs that must not stand side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from pytest_reviewbench.errors import RunError
from pytest_reviewbench.model import Evidence, Finding
from pytest_reviewbench.runs.claims import claim
from pytest_reviewbench.runs.outcomes import check_comparable, read_outcomes
from tests.unit.runs.making import MANIFEST, make_run, matches, review

CASES = ("done", "dead", "given-back", "live", "never")


def test_a_review_without_a_record_is_crashed_running_or_never_started(tmp_path: Path) -> None:
    run = make_run(tmp_path, cases=CASES)
    run.write_review(review("done"), matches("done"), "")
    with claim(run, "dead"):
        pass
    with claim(run, "given-back") as held:
        held.withdraw()
    with claim(run, "live"):
        found = {o.case: (o.status, o.reason) for o in read_outcomes(run, run.manifest())}
    assert found == {
        "done": ("ok", None),
        "dead": ("crashed", "started, but its process ended before it could be recorded"),
        "given-back": ("not_run", "never started"),
        "live": ("not_run", "still running"),
        "never": ("not_run", "never started"),
    }


@pytest.mark.parametrize("status", ["unparsable", "error", "crashed", "not_attempted"])
def test_findings_count_only_in_a_review_that_is_ok(tmp_path: Path, status: Any) -> None:
    run = make_run(tmp_path)
    finding = Finding(id="f" * 12, text="off by one")
    graded = msgspec.structs.replace(
        matches(), hits={finding.id: ("b1",)}, evidence={finding.id: Evidence(touches_fix=True)}
    )
    stored: Any
    for case, stored in (("a1", "ok"), ("a2", status)):
        of = msgspec.structs.replace(graded, case=case)
        run.write_review(review(case, stored, findings=(finding,)), of, "")
    ok, other = read_outcomes(run, run.manifest())
    assert (ok.findings, dict(ok.hits), dict(ok.touches_fix)) == (
        (finding.id,),
        {finding.id: ("b1",)},
        {finding.id: True},
    )
    assert (other.findings, dict(other.hits), dict(other.touches_fix)) == ((), {}, {})
    assert other.bugs == ok.bugs, "the bugs of the case are known all the same"


def pair(**changes: Any) -> list[tuple[str, Any]]:
    return [("one", MANIFEST), ("two", msgspec.structs.replace(MANIFEST, **{"rep": 2, **changes}))]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"corpus_sha256": "1" * 64}, r"one and two differ in corpus_sha256 \(0{64} and 1{64}\)"),
        ({"split": "train"}, r"one and two differ in split \(test and train\)"),
        ({"matcher_versions": {"a1": 1, "a2": 2}}, r"one and two differ in the matcher of case a2 \(1 and 2\)"),
        ({"scope": "hunks"}, r"one and two are reps of arm with different scope"),
        ({"settings": {"model": "x"}}, r"one and two are reps of arm with different settings"),
        ({"rep": 1}, r"one and two are both arm rep 1"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_runs_that_differ_in_what_numbers_mean_are_refused_by_name(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(RunError, match=said):
        check_comparable(pair(**changes))


def test_matchers_are_compared_between_all_runs_and_not_only_with_the_first() -> None:
    runs = [
        ("one", msgspec.structs.replace(MANIFEST, arm="a", matcher_versions={"a1": 1})),
        ("two", msgspec.structs.replace(MANIFEST, arm="b", matcher_versions={"a2": 1})),
        ("three", msgspec.structs.replace(MANIFEST, arm="c", matcher_versions={"a2": 2})),
    ]
    with pytest.raises(RunError, match="two and three differ in the matcher of case a2"):
        check_comparable(runs)


@pytest.mark.parametrize(
    "changes",
    [{}, {"arm": "other", "rep": 1, "scope": "hunks", "settings": {"model": "x"}}, {"jobs": 8}, {"cases": ("a1",)}],
    ids=["rep", "another arm", "jobs", "fewer cases"],
)
def test_reps_and_arms_of_one_corpus_and_split_go_together(changes: dict[str, Any]) -> None:
    check_comparable(pair(**changes))
