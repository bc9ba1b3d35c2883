"""`perun-gap` builds on the perun review of the same case and rep, which is done once, whoever needs it first."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.samples import HIT, OTHER, report, runs, write_acting_case, write_project
from tests.session import scripted_claude

FIRST, SECOND = json.dumps([OTHER]), json.dumps([HIT])
MODES = pytest.mark.parametrize(
    "mode", [(), ("-n", "2"), ("--reviewbench-jobs=1",)], ids=["in flight", "xdist", "one"]
)


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three cases: the first pass finds one thing, the second the bug."""
    scripted_claude.install(pytester.path / "bin")
    monkeypatch.setenv("PATH", f"{pytester.path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    write_project(pytester.path, {})
    for n in range(3):
        write_acting_case(pytester.path / "corpus", f"c{n}", f"skill; say {FIRST}; second {SECOND}")
    return pytester.path


def records_of(project: Path, arm: str) -> dict[str, Any]:
    (run,) = [path for path in runs(project) if path.name.startswith(f"{arm}-1-")]
    return {path.stem: json.loads(path.read_text()) for path in (run / "reviews").iterdir()}


@MODES
@pytest.mark.parametrize("arms", [("perun", "perun-gap"), ("perun-gap", "perun"), ("perun-gap",)], ids="-".join)
def test_each_pass_is_paid_once_and_the_gap_holds_both(
    pytester: pytest.Pytester, project: Path, arms: tuple[str, ...], mode: tuple[str, ...]
) -> None:
    asked = [f"--reviewbench-arm={arm}" for arm in arms]
    pytester.runpytest_subprocess(*asked, *mode).assert_outcomes(passed=3 * len(arms))
    assert sorted(scripted_claude.sessions(project / "bin")) == ["first"] * 3 + ["second"] * 3
    first, both = records_of(project, "perun"), records_of(project, "perun-gap")
    for case in first:
        assert [f["text"] for f in first[case]["findings"]] == [OTHER["text"]]
        assert [f["text"] for f in both[case]["findings"]] == [OTHER["text"], HIT["text"]]
        assert (
            both[case]["cost_usd"] == 2 * first[case]["cost_usd"] if first[case]["cost_usd"] is not None else True
        )
        assert both[case]["seconds"] >= first[case]["seconds"]
    made = report(project)["arms"]
    assert (made["perun"]["numbers"]["bugs_hit"], made["perun-gap"]["numbers"]["bugs_hit"]) == (0, 3)
    assert all(run["complete"] for run in report(project)["runs"])


def test_the_gap_alone_by_k_does_the_first_pass_as_well(pytester: pytest.Pytester, project: Path) -> None:
    arms = ("--reviewbench-arm=perun", "--reviewbench-arm=perun-gap")
    pytester.runpytest(*arms, "-k", "gap and c1").assert_outcomes(passed=1, deselected=5)
    assert scripted_claude.sessions(project / "bin") == ["first", "second"]
    assert records_of(project, "perun").keys() == {"c1"}


def test_both_raw_answers_and_both_transcripts_are_kept(pytester: pytest.Pytester, project: Path) -> None:
    pytester.runpytest("--reviewbench-arm=perun-gap", "--reviewbench-case=c0").assert_outcomes(passed=1)
    gap = next(run for run in runs(project) if run.name.startswith("perun-gap"))
    raw = (gap / "answers" / "c0.txt").read_text()
    assert raw.index("== first pass (perun)") < raw.index(FIRST) < raw.index("== second pass") < raw.index(SECOND)
    for run in runs(project):
        assert (run / "transcripts" / "c0.jsonl").exists()


def test_a_first_pass_that_failed_is_an_error_of_the_gap_that_says_so(
    pytester: pytest.Pytester, project: Path
) -> None:
    shutil.rmtree(project / "corpus")
    write_acting_case(project / "corpus", "c0", "fail 529")
    pytester.runpytest("--reviewbench-arm=perun-gap").assert_outcomes(failed=1)
    record = records_of(project, "perun-gap")["c0"]
    assert record["status"] == "error"
    assert record["error"]["kind"] == "base"
    assert "the first pass (perun) ended as error" in record["error"]["message"]
    assert scripted_claude.sessions(project / "bin") == ["first"] * 3  # with its retries, and no second pass


def test_a_complete_run_stands_for_the_first_pass_and_stays_as_it_is(
    pytester: pytest.Pytester, project: Path
) -> None:
    pytester.runpytest("--reviewbench-arm=perun").assert_outcomes(passed=3)
    (base,) = runs(project)
    before = {path: path.read_bytes() for path in base.rglob("*") if path.is_file()}
    result = pytester.runpytest("--reviewbench-arm=perun-gap", f"--reviewbench-base={base}")
    result.assert_outcomes(passed=3)
    assert scripted_claude.sessions(project / "bin").count("first") == 3
    assert {path: path.read_bytes() for path in base.rglob("*") if path.is_file()} == before
    gap = next(run for run in runs(project) if run.name.startswith("perun-gap"))
    assert json.loads((gap / "manifest.json").read_text())["base"] == base.name


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda base: (base / "COMPLETE").unlink(), "not complete"),
        (shutil.rmtree, "not a run folder"),
        (lambda base: rewrite(base, arm="plain"), "is a run of plain, but perun-gap builds on perun"),
        (lambda base: rewrite(base, cases=["c0", "c1"]), "has no review of c2, which perun-gap needs"),
        (lambda base: rewrite(base, corpus_sha256="0" * 64), "is of another corpus"),
    ],
    ids=["incomplete", "gone", "other arm", "lacks a case", "other corpus"],
)
def test_a_run_that_cannot_stand_for_the_first_pass_is_a_usage_error(
    pytester: pytest.Pytester, project: Path, spoil: Callable[[Path], object], said: str
) -> None:
    pytester.runpytest("--reviewbench-arm=perun").assert_outcomes(passed=3)
    (base,) = runs(project)
    spoil(base)
    result = pytester.runpytest("--reviewbench-arm=perun-gap", f"--reviewbench-base={base}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in " ".join(result.errlines)
    assert "second" not in scripted_claude.sessions(project / "bin")


def rewrite(base: Path, **keys: object) -> None:
    file = base / "manifest.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | keys))


@pytest.mark.parametrize(
    ("arms", "option", "said"),
    [
        ({"g2": {"family": "perun-gap", "base": "perun-gap"}}, "g2", "'perun-gap' builds on another arm itself"),
        (
            {"g2": {"family": "perun-gap", "base": "nowhere"}},
            "g2",
            "[tool.reviewbench.arms.g2] base: there is no arm 'nowhere'",
        ),
    ],
)
def test_a_base_that_cannot_be_is_a_usage_error(
    pytester: pytest.Pytester, project: Path, arms: dict[str, dict[str, str]], option: str, said: str
) -> None:
    write_project(project, arms)
    result = pytester.runpytest(f"--reviewbench-arm={option}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in " ".join(result.errlines)


def test_a_base_run_that_no_arm_builds_on_is_a_usage_error(pytester: pytest.Pytester, project: Path) -> None:
    result = pytester.runpytest("--reviewbench-arm=perun", "--reviewbench-base=x")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --reviewbench-base: none of the arms builds on another; leave it out"])
