"""`reviewbench compare` and `--reviewbench-baseline`: what may be compared, and what a difference does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pytest_reviewbench.model import BugFact, Finding, Matches, Verdict, Verdicts
from tests.samples import HIT, say, write_case, write_project
from tests.session.calls import reviewbench
from tests.unit.runs.making import make_run, review

CASES = tuple(f"c{n:02}" for n in range(12))
FINDING = Finding(id="f", text="it")


def run_that_hits(
    folder: Path, hits: int, *, cases: tuple[str, ...] = CASES, judge: str = "", **changes: Any
) -> str:
    """A finished run below `folder` with one bug a case, of which the first `hits` were hit; its name."""
    run = make_run(
        folder / ".reviewbench" / "runs", cases=cases, matcher_versions=dict.fromkeys(cases, 1), **changes
    )
    for n, case in enumerate(cases):
        matches = Matches(
            case=case,
            lang="python",
            matcher_version=1,
            bugs=(BugFact(id="b"),),
            hits={"f": ("b",)} if n < hits else {},
            evidence={},
        )
        done = msgspec.structs.replace(
            review(case, findings=(FINDING,)), arm=run.manifest().arm, rep=run.manifest().rep
        )
        run.write_review(done, matches, "")
        if judge:
            said = Verdict(
                verdict="gt_same" if n < hits else "not_a_bug", bugs=("b",) if n < hits else (), reason="r"
            )
            run.write_verdicts(Verdicts(case=case, verifier=judge, verdicts={"f": said}, corpus_sha256="0" * 64))
    assert run.finish()
    return run.name


def test_a_difference_below_the_bound_fails_and_a_certain_one_needs_the_whole_interval(tmp_path: Path) -> None:
    good, bad = run_that_hits(tmp_path, 11, arm="good"), run_that_hits(tmp_path, 9, arm="bad")
    args = ("compare", bad, "--baseline", good)
    assert reviewbench(tmp_path, *args, "--fail-if", "recall_strict<-0.2").returncode == 0
    failed = reviewbench(tmp_path, *args, "--fail-if", "recall_strict<-0.1")
    assert failed.returncode == 1
    assert "fail-if recall_strict<-0.1: bad has -0.1667 (-0.4167 to +0)" in failed.stderr
    assert reviewbench(tmp_path, *args, "--fail-if-certain", "recall_strict<-0.1").returncode == 0
    assert reviewbench(tmp_path, *args, "--fail-if-certain", "recall_strict<0.1").returncode == 1
    assert "good found 2 more of 12 bugs than bad; no difference is within the interval" in failed.stdout


def test_a_number_that_was_not_measured_holds_no_bound(tmp_path: Path) -> None:
    good, bad = run_that_hits(tmp_path, 11, arm="good"), run_that_hits(tmp_path, 9, arm="bad")
    for bound in ("recall_adjudicated<-1", "cost_ratio>100"):
        failed = reviewbench(tmp_path, "compare", bad, "--baseline", good, "--fail-if", bound)
        assert failed.returncode == 1
        assert f"fail-if {bound}: bad has not measured" in failed.stderr


def test_a_baseline_that_is_not_there_is_an_outcome_of_its_own(tmp_path: Path) -> None:
    run = run_that_hits(tmp_path, 3)
    done = reviewbench(tmp_path, "compare", run, "--baseline", "gone", "--fail-if", "recall_strict<0")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "reviewbench: no baseline: gone is not there; nothing was compared\n"


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"corpus_sha256": "1" * 64}, "differ in corpus_sha256"),
        ({"split": "train"}, "differ in split (test and train)"),
        ({"scope": "hunks"}, "differ in scope (file and hunks)"),
        ({"matcher_versions": dict.fromkeys(CASES, 2)}, "differ in the matcher of case c00"),
        ({"cases": CASES[:5]}, "have other cases (12 and 5, 5 in common); --intersect compares those"),
    ],
    ids=["corpus", "split", "scope", "matcher", "cases"],
)
def test_runs_that_are_not_comparable_are_refused_by_name(tmp_path: Path, other: dict[str, Any], said: str) -> None:
    one = run_that_hits(tmp_path, 3, arm="one")
    run = make_run(
        tmp_path / ".reviewbench" / "runs", **({"cases": CASES, "matcher_versions": {}} | other | {"arm": "two"})
    )
    for case in run.manifest().cases:
        run.write_review(review(case), None, "")
    assert run.finish()
    refused = reviewbench(tmp_path, "compare", one, run.name)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert said in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_verdicts_of_other_verifiers_are_not_compared(tmp_path: Path) -> None:
    one = run_that_hits(tmp_path, 3, arm="one", judge="judge-x")
    two = run_that_hits(tmp_path, 4, arm="two", judge="judge-y")
    refused = reviewbench(tmp_path, "compare", one, two)
    assert refused.returncode == 2
    assert "no verifier has judged all of these runs (one by judge-x; two by judge-y)" in refused.stderr


def test_cases_in_common_are_compared_when_asked_for(tmp_path: Path) -> None:
    one, two = run_that_hits(tmp_path, 3, arm="one"), run_that_hits(tmp_path, 4, arm="two", cases=CASES[:5])
    made = json.loads(reviewbench(tmp_path, "compare", one, two, "--intersect", "--json").stdout)
    assert (made["cases"], made["left_out"], made["baseline"]) == (5, 7, None)
    assert made["pairs"][0]["numbers"]["recall_strict"]["value"] == pytest.approx(-1 / 5)


def test_two_states_of_one_arm_go_by_the_names_of_their_runs(tmp_path: Path) -> None:
    new, old = run_that_hits(tmp_path, 5), run_that_hits(tmp_path / "old", 4)
    place = tmp_path / "old" / ".reviewbench" / "runs" / old
    renamed = place.rename(place.with_name("arm-1-20250101T000000Z"))
    made = json.loads(reviewbench(tmp_path, "compare", new, "--baseline", str(renamed), "--json").stdout)
    assert (made["pairs"][0]["a"], made["pairs"][0]["b"]) == ("arm", renamed.name)
    assert made["baseline"] == renamed.name


@pytest.mark.parametrize(
    "bound", ["recall_strict", "recall_strict<", "<3", "recall_strict<=1", "recall_strict<nan"]
)
def test_a_bound_that_cannot_be_read_is_one_clear_line(tmp_path: Path, bound: str) -> None:
    run = run_that_hits(tmp_path, 1)
    refused = reviewbench(tmp_path, "compare", run, "--baseline", run, "--fail-if", bound)
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"reviewbench: --fail-if: '{bound}' is not [ARM:]NAME<VALUE")


def test_a_session_is_compared_with_a_baseline_that_is_there_and_says_when_it_is_not(
    pytester: pytest.Pytester,
) -> None:
    write_case(pytester.path / "corpus", "py-1")
    write_project(pytester.path, {"echo": say([HIT]), "hush": say([])})
    args = ("--reviewbench-fail-if=recall_strict<0", "--reviewbench-baseline=base")
    first = pytester.runpytest_inprocess("--reviewbench-arm=echo", *args)
    assert first.ret == 0
    first.stdout.fnmatch_lines(["no baseline: *base is not there; nothing was compared"])
    (run,) = [path.parent for path in pytester.path.glob(".reviewbench/runs/*/COMPLETE")]
    run.rename(pytester.path / "base")
    worse = pytester.runpytest_inprocess("--reviewbench-arm=hush", *args)
    assert worse.ret == 1
    worse.stdout.fnmatch_lines(
        ["hush compared with the baseline echo: *", "GATE: fail-if recall_strict<0: hush has -1 (-1 to -1)"]
    )
    made = json.loads((pytester.path / ".reviewbench/runs/report.json").read_text())["comparison"]
    assert made["pairs"][0]["numbers"]["recall_strict"]["value"] == -1
    write_case(pytester.path / "corpus", "py-2")
    other = pytester.runpytest_inprocess("--reviewbench-arm=hush", *args)
    assert other.ret == 4
    other.stderr.fnmatch_lines(["*--reviewbench-baseline: *base is of another corpus (*"])
