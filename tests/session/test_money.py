"""Attempts, budgets and dry runs of whole sessions, against a program that speaks as `claude` does."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from tests.samples import HIT, OTHER, records, report, runs, say, write_acting_case, write_project
from tests.session import scripted_claude
from tests.session.calls import reviewbench

HINT = "what is missing is done by: reviewbench "
COST = 0.0125
"""What every session of the scripted program costs."""
FOUND = f"say {json.dumps([HIT, OTHER])}"
PLAIN = ("--reviewbench-arm=plain", "--reviewbench-no-verify")


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    scripted_claude.install(pytester.path / "bin")
    monkeypatch.setenv("PATH", f"{pytester.path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    write_project(pytester.path, {"tool": say([HIT, OTHER])})
    return pytester.path


def cases(project: Path, count: int, acts: str = FOUND) -> None:
    for n in range(count):
        write_acting_case(project / "corpus", f"c{n:02}", acts)


def test_a_refused_session_is_tried_again_and_both_attempts_are_kept(
    pytester: pytest.Pytester, project: Path
) -> None:
    cases(project, 1, f"once fail 429; {FOUND}")
    pytester.runpytest(*PLAIN).assert_outcomes(passed=1)
    record = records(project)["c00"]
    assert (record["status"], record["attempts"]) == ("ok", 2)
    assert [one["error"]["kind"] if one["error"] else None for one in record["attempted"]] == ["rate_limit", None]
    assert [one["cost_usd"] for one in record["attempted"]] == [COST, COST]
    assert record["cost_usd"] == 2 * COST
    (run,) = runs(project)
    assert '"api_error_status": 429' in (run / "transcripts" / "attempt-1" / "c00.jsonl").read_text()
    assert '"api_error_status": 429' not in (run / "transcripts" / "c00.jsonl").read_text()


@pytest.mark.parametrize(
    ("acts", "options", "held"),
    [
        ("fail 401", (), 1),
        ("say I could not find anything that is wrong", (), 1),
        ("fail 529", ("--reviewbench-retries=0",), 1),
        ("fail 529", (), 3),
    ],
    ids=["refused key", "unparsable", "no retries", "refused for good"],
)
def test_only_trouble_of_the_line_is_tried_again_and_only_so_often(
    pytester: pytest.Pytester, project: Path, acts: str, options: tuple[str, ...], held: int
) -> None:
    cases(project, 1, acts)
    pytester.runpytest(*PLAIN, *options).assert_outcomes(failed=1)
    record = records(project)["c00"]
    assert len(scripted_claude.sessions(project / "bin")) == record["attempts"] == len(record["attempted"]) == held


def test_a_budget_stops_within_one_wave_over_workers(pytester: pytest.Pytester, project: Path) -> None:
    cases(project, 16)
    result = pytester.runpytest_subprocess(
        "--reviewbench-arm=plain", "-n", "4", f"--reviewbench-max-cost={4 * COST}", "--junitxml=x.xml"
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    held = len(scripted_claude.sessions(project / "bin"))
    assert 4 <= held <= 4 + 3  # those that were in flight when the fourth ended
    result.assert_outcomes(passed=held, skipped=16 - held)
    numbers = report(project)["arms"]["plain"]["numbers"]
    assert (numbers["ok"], numbers["not_run"]) == (held, 16 - held)
    assert numbers["cost_usd"] == pytest.approx(held * COST)
    left = [row["reason"] for row in report(project)["arms"]["plain"]["cases"] if row["status"] == "not_run"]
    assert set(left) == {"0.05 USD are spent (max-cost)"}
    result.stdout.fnmatch_lines(
        [
            f"budget: spent {held * COST:g} of 0.05 USD in {held} sessions",
            f"BUDGET: {16 - held} reviews were not run: no money or time was left for them",
        ]
    )
    assert (project / "x.xml").read_text().count('value="not_run"') == 16 - held
    (run,) = runs(project)
    assert not (run / "COMPLETE").exists()
    (hint,) = (line for line in result.outlines if line.startswith(HINT))
    rest = reviewbench(project, *shlex.split(hint.removeprefix(HINT)))
    assert (rest.returncode, rest.stdout) == (
        0,
        f"{held} reviews judged, 0 without verdicts, {held} sessions held\n",
    )
    assert list((project / ".reviewbench" / "runs").glob(".session-*")) == []


def test_a_budget_stops_one_process_and_what_costs_nothing_goes_on(
    pytester: pytest.Pytester, project: Path
) -> None:
    cases(project, 4)
    result = pytester.runpytest(
        *PLAIN, "--reviewbench-arm=tool", "--reviewbench-jobs=1", f"--reviewbench-max-cost={2 * COST}"
    )
    result.assert_outcomes(passed=6, skipped=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert len(scripted_claude.sessions(project / "bin")) == 2


def test_a_gap_whose_first_pass_was_not_run_is_not_run_either(pytester: pytest.Pytester, project: Path) -> None:
    cases(project, 2, f"skill; {FOUND}; second []")
    result = pytester.runpytest(
        "--reviewbench-arm=perun-gap",
        "--reviewbench-no-verify",
        "--reviewbench-jobs=1",
        f"--reviewbench-max-cost={COST}",
    )
    result.assert_outcomes(skipped=2)
    made = report(project)["arms"]
    assert {row["status"] for row in made["perun-gap"]["cases"]} == {"not_run"}
    assert {row["reason"] for row in made["perun-gap"]["cases"]} == {"0.0125 USD are spent (max-cost)"}


def test_when_the_time_is_over_no_review_begins_whoever_does_it(pytester: pytest.Pytester, project: Path) -> None:
    cases(project, 3, "say []; sleep 1.2")
    result = pytester.runpytest(
        *PLAIN, "--reviewbench-arm=tool", "--reviewbench-jobs=1", "--reviewbench-max-minutes=0.02"
    )
    outcomes = result.parseoutcomes()
    assert outcomes["skipped"] >= 4
    assert "failed" not in outcomes
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    said = {row["reason"] for row in report(project)["arms"]["tool"]["cases"] if row["status"] == "not_run"}
    assert said == {"the 0.02 minutes are over (max-minutes)"}


def test_sessions_of_unknown_cost_are_said_not_to_be_counted(
    pytester: pytest.Pytester, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")  # whose prices are nobody's
    cases(project, 2)
    result = pytester.runpytest(*PLAIN, "--reviewbench-max-cost=1")
    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["budget: 2 sessions of unknown cost are not counted"])


def test_one_session_per_agent_at_once_over_workers(pytester: pytest.Pytester, project: Path) -> None:
    cases(project, 4, "alone 0.3; say []")
    result = pytester.runpytest_subprocess(*PLAIN, "-n", "3", "--reviewbench-per-agent=1")
    result.assert_outcomes(passed=4)
    assert not (project / "bin" / "met").exists()
    assert len(scripted_claude.sessions(project / "bin")) == 4


def test_a_judge_stops_at_the_budget_and_verify_does_only_the_rest(
    pytester: pytest.Pytester, project: Path
) -> None:
    cases(project, 3)
    result = pytester.runpytest(
        "--reviewbench-arm=plain", "--reviewbench-jobs=1", f"--reviewbench-max-cost={4 * COST}"
    )
    result.assert_outcomes(passed=3)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert len(scripted_claude.judged(project / "bin")) == 1
    result.stdout.fnmatch_lines(
        [
            "BUDGET: 2 verdicts are missing: 0.05 USD are spent (max-cost)",
            "what is missing is done by: reviewbench *",
        ]
    )
    (run,) = runs(project)
    part = reviewbench(project, "verify", run.name, "--sandbox=none", "--jobs=1", f"--max-cost={COST}")
    assert part.returncode == 1
    assert part.stdout == (
        "1 reviews judged, 0 without verdicts, 1 sessions held\n"
        "1 verdicts are missing: 0.0125 USD are spent (max-cost); the same call does the rest\n"
    )
    (hint,) = (line for line in result.outlines if line.startswith(HINT))
    rest = reviewbench(project, *shlex.split(hint.removeprefix(HINT)), "--max-cost=1")
    assert (rest.returncode, rest.stdout) == (0, "1 reviews judged, 0 without verdicts, 1 sessions held\n")
    assert len(scripted_claude.judged(project / "bin")) == 3


def test_a_judge_that_is_refused_is_asked_again_and_its_attempts_are_kept(
    pytester: pytest.Pytester, project: Path
) -> None:
    cases(project, 1, f"{FOUND}; judge once fail 529; judge say {{verdicts}}")
    pytester.runpytest("--reviewbench-arm=tool", "--reviewbench-verifier=judge").assert_outcomes(passed=1)
    (run,) = runs(project)
    record = json.loads((run / "verdicts" / "judge-claude" / "c00.1.json").read_text())
    assert record["error"] is None
    assert [one["error"] and one["error"]["kind"] for one in record["attempted"]] == ["overloaded", None]
    assert record["cost_usd"] == 2 * COST


@pytest.mark.parametrize("mode", [(), ("-n", "2")], ids=["in flight", "xdist"])
def test_a_dry_run_counts_and_estimates_and_starts_nothing(
    pytester: pytest.Pytester, project: Path, mode: tuple[str, ...]
) -> None:
    cases(project, 3, f"skill; {FOUND}; second []")
    asked = ("--reviewbench-arm=perun-gap", "--reviewbench-arm=tool", "--reviewbench-reps=2", "-k", "c00 or c01")
    claude = (project / "bin" / "claude").read_text()
    (project / "bin" / "claude").write_text(f"#!/bin/sh\ntouch {project}/started\n")
    nothing = pytester.runpytest_inprocess(*asked, *mode, "--reviewbench-dry-run")
    assert nothing.ret == pytest.ExitCode.OK
    nothing.stdout.re_match_lines(
        [
            r"=+ review benchmark: dry run, nothing was started =+",
            r"  perun \(base\) +2 +2 +4 +4 +- +- +no earlier run",
            r"  perun-gap +2 +2 +4 +4 +- +- +no earlier run",
            r"  tool +2 +2 +4 +0 +- +- +no earlier run",
            r"  judge-claude +2 +- +- +<= 2 +- +- +no earlier run",
            r"8 AI sessions of reviewers and at most 2 of judges",
            r"cost: unknown: no earlier run tells that of perun \(base\), perun-gap, judge-claude",
        ]
    )
    assert not (project / "started").exists()
    assert not (project / ".reviewbench").exists()
    if mode:
        return
    wrong = pytester.runpytest_inprocess(*asked, f"--reviewbench-base={project}/nowhere", "--reviewbench-dry-run")
    assert wrong.ret == pytest.ExitCode.USAGE_ERROR
    (project / "bin" / "claude").write_text(claude)
    pytester.runpytest_inprocess("--reviewbench-arm=perun-gap", "--reviewbench-arm=tool", "-k", "c00")
    known = pytester.runpytest_inprocess(*asked, "--reviewbench-dry-run")
    known.stdout.re_match_lines(
        [
            r"  perun \(base\) +2 +2 +4 +4 +0\.05 +\d+\.\d +1 reviews",
            r"  perun-gap +2 +2 +4 +4 +0\.05 +\d+\.\d +1 reviews",
            r"  judge-claude +2 +- +- +<= 2 +0\.025 +\d+\.\d +1 sessions",
            r"cost: about 0\.125 USD",
            r"time: about \d+\.\d minutes, 4 at once",
        ]
    )
