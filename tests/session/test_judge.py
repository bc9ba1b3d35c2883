"""Findings are judged when the reviews are done, and by `reviewbench verify`."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.contain.preflight import probe
from pytest_reviewbench.contain.process import Children
from tests.samples import HIT, OTHER, report, runs, say, write_acting_case, write_project
from tests.session import scripted_claude
from tests.session.calls import reviewbench

FOUND = json.dumps([HIT, OTHER])
ONE = "--reviewbench-jobs=1"


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two cases in which every reviewer finds the bug and one other thing; `tool` finds one thing more."""
    scripted_claude.install(pytester.path / "bin")
    monkeypatch.setenv("PATH", f"{pytester.path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    more = {**OTHER, "text": "only the tool says this"}
    write_project(pytester.path, {"tool": say([HIT, OTHER, more]), "none": say([])})
    for n in range(2):
        write_acting_case(pytester.path / "corpus", f"c{n}", f"skill; say {FOUND}")
    return pytester.path


def verdicts(project: Path, arm: str, verifier: str = "judge-claude") -> dict[str, dict[str, Any]]:
    (run,) = [path for path in runs(project) if path.name.startswith(f"{arm}-1-")]
    folder = run / "verdicts" / verifier
    return {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}


@pytest.mark.parametrize("mode", [(), ("-n", "2")], ids=["in flight", "xdist"])
def test_three_arms_with_common_findings_pay_one_session_per_case(
    pytester: pytest.Pytester, project: Path, mode: tuple[str, ...]
) -> None:
    arms = [f"--reviewbench-arm={arm}" for arm in ("perun", "plain", "tool")]
    result = pytester.runpytest_subprocess(*arms, *mode)
    result.assert_outcomes(passed=6)
    asked = scripted_claude.judged(project / "bin")
    expected = sorted(str(text) for text in (HIT["text"], OTHER["text"], "only the tool says this"))
    assert [sorted(texts) for texts in asked] == [expected, expected]
    made = report(project)
    assert (made["verified"], made["verifier"]) == (True, "judge-claude")
    for arm in ("perun", "plain", "tool"):
        numbers = made["arms"][arm]["numbers"]
        assert (numbers["judged"], numbers["recall_adjudicated"], numbers["precision_verified"]) == (2, 1.0, 1.0)
    paid = sum(made["arms"][arm]["numbers"]["verify_cost_usd"] for arm in made["arms"])
    assert paid == pytest.approx(2 * 0.0125)
    assert made["own_model"] == ["perun", "plain"]
    result.stdout.fnmatch_lines(["Verified by judge-claude"])
    assert "mechanism" not in result.stdout.str()
    assert "mechanism" not in json.dumps(made)
    for run in runs(project):
        for record in verdicts(project, run.name.split("-")[0]).values():
            name = f"{record['case']}.{record['session']}"
            said = (run / "verdicts" / "judge-claude" / "answers" / f"{name}.txt").read_bytes()
            assert hashlib.sha256(said).hexdigest() == record["answer_sha256"]
            assert b"mechanism" in said
            stream = run / "verdicts" / "judge-claude" / "transcripts" / f"{name}.jsonl"
            assert json.loads(stream.read_text().splitlines()[0])["subtype"] == "init"


def test_a_judge_runs_only_when_asked_for_or_with_an_arm_of_sessions(
    pytester: pytest.Pytester, project: Path
) -> None:
    pytester.runpytest("--reviewbench-arm=tool").assert_outcomes(passed=2)
    pytester.runpytest("--reviewbench-arm=plain", "--reviewbench-no-verify").assert_outcomes(passed=2)
    pytester.runpytest("--reviewbench-arm=tool", "--collect-only", "--reviewbench-verifier=judge")
    assert scripted_claude.judged(project / "bin") == []
    pytester.runpytest("--reviewbench-arm=tool", "--reviewbench-verifier=judge").assert_outcomes(passed=2)
    assert len(scripted_claude.judged(project / "bin")) == 2


def test_an_empty_review_is_judged_without_a_session(pytester: pytest.Pytester, project: Path) -> None:
    pytester.runpytest("--reviewbench-arm=none", "--reviewbench-verifier=judge").assert_outcomes(passed=2)
    assert scripted_claude.judged(project / "bin") == []
    numbers = report(project)["arms"]["none"]["numbers"]
    assert (numbers["judged"], numbers["recall_adjudicated"], numbers["verify_sessions"]) == (2, 0.0, 0)


@pytest.mark.parametrize(
    ("acts", "kind"),
    [
        ("say all of them are real", "verdicts"),
        ("say [{}]", "verdicts"),
        ("fail 529", "overloaded"),
        ("cut", "protocol"),
        ("say []; exit 3", "exit"),
    ],
)
def test_a_judge_that_fails_counts_nothing_as_false_and_is_asked_again(
    pytester: pytest.Pytester, project: Path, acts: str, kind: str
) -> None:
    scripted_claude.order(project / "bin", acts)
    result = pytester.runpytest("--reviewbench-arm=tool", "--reviewbench-verifier=judge")
    result.assert_outcomes(passed=2)
    assert {record["error"]["kind"] for record in verdicts(project, "tool").values()} == {kind}
    numbers = report(project)["arms"]["tool"]["numbers"]
    assert (numbers["judged"], numbers["verify_failed"], numbers["precision_verified"]) == (0, 2, None)
    (run,) = runs(project)
    again = reviewbench(project, "verify", run.name, "--sandbox=none")
    assert again.returncode == 1
    scripted_claude.order(project / "bin", None)
    done = reviewbench(project, "verify", run.name, "--sandbox=none")
    assert (done.returncode, done.stdout) == (0, "2 reviews judged, 0 without verdicts, 2 sessions held\n")
    assert sorted(verdicts(project, "tool")) == ["c0.1", "c0.2", "c0.3", "c1.1", "c1.2", "c1.3"]
    nothing = reviewbench(project, "verify", run.name, "--sandbox=none")
    assert nothing.stdout == "0 reviews judged, 0 without verdicts, 0 sessions held\n"


def test_a_killed_stage_resumed_pays_only_the_rest(pytester: pytest.Pytester, project: Path) -> None:
    write_acting_case(project / "corpus", "c2", f"say {FOUND}; judge sleep 600")
    scripted_claude.order(project / "bin", None)
    session = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "pytest",
            "--reviewbench-arm=plain",
            "--reviewbench-arm=tool",
            "--reviewbench-jobs=1",
        ],
        cwd=project,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    end = time.monotonic() + 60
    while len(scripted_claude.judged(project / "bin")) < 3 and time.monotonic() < end:
        time.sleep(0.05)
    os.killpg(session.pid, signal.SIGKILL)
    session.wait()
    before = len(scripted_claude.judged(project / "bin"))
    assert before == 3
    said = json.dumps([])
    scripted_claude.order(project / "bin", f"say {said}")
    done = reviewbench(project, "verify", *[run.name for run in runs(project)], "--sandbox=none")
    assert "2 without verdicts, 1 sessions held" in done.stdout
    assert len(scripted_claude.judged(project / "bin")) == 4


def test_an_interrupt_keeps_what_is_done_and_the_report_comes(project: Path) -> None:
    write_acting_case(project / "corpus", "c2", f"say {FOUND}; judge sleep 600")
    session = subprocess.Popen(
        [sys.executable, "-m", "pytest", "--reviewbench-arm=tool", "--reviewbench-verifier=judge", ONE],
        cwd=project,
        stdout=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 60
    while len(scripted_claude.judged(project / "bin")) < 3 and time.monotonic() < end:
        time.sleep(0.05)
    session.send_signal(signal.SIGINT)
    said, _ = session.communicate(timeout=60)
    assert session.returncode == pytest.ExitCode.INTERRUPTED
    assert "what is missing is done by: reviewbench verify " in said
    assert report(project)["arms"]["tool"]["numbers"]["judged"] == 2


def test_two_that_verify_the_same_run_at_once_pay_once(pytester: pytest.Pytester, project: Path) -> None:
    pytester.runpytest("--reviewbench-arm=tool").assert_outcomes(passed=2)
    argv = [sys.executable, "-m", "pytest_reviewbench.cli", "verify", runs(project)[0].name, "--sandbox=none"]
    both = [subprocess.Popen(argv, cwd=project, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = sorted(one.communicate(timeout=60)[0] for one in both)
    assert [text.partition(",")[0] for text in said] == ["0 reviews judged", "2 reviews judged"]
    assert len(scripted_claude.judged(project / "bin")) == 2
    assert sorted(verdicts(project, "tool")) == ["c0.1", "c1.1"]


@pytest.mark.parametrize("mode", [("-x", ONE), ("--maxfail=1", "-n", "2")], ids=["one process", "xdist"])
def test_a_session_that_ends_early_says_that_nothing_was_verified(
    pytester: pytest.Pytester, project: Path, mode: tuple[str, ...]
) -> None:
    write_acting_case(project / "corpus", "b", "fail 401")
    write_acting_case(project / "corpus", "z", "sleep 1; say []")
    result = pytester.runpytest("--reviewbench-arm=plain", *mode)
    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)
    said = " ".join(line.strip() for line in result.outlines)
    assert "the session ended early, so nothing was verified" in said
    assert "what is missing is done by: reviewbench verify " in said
    assert scripted_claude.judged(project / "bin") == []


def test_in_the_sandbox_a_judge_sees_neither_the_truth_nor_any_run(
    pytester: pytest.Pytester, project: Path
) -> None:
    children = Children()
    sandbox = probe(children)
    children.close()
    if sandbox.program is None:
        pytest.skip(f"no sandbox on this machine: {sandbox.reason}")
    shutil.rmtree(project / "corpus")
    write_project(project, {"tool": say([HIT])}, sandbox="bwrap")
    places = [
        project / name for name in ("corpus", "corpus/c0/ground-truth.json", ".reviewbench", "pyproject.toml")
    ]
    write_acting_case(project / "corpus", "c0", f"say []; reach {' '.join(map(str, [*places, '/usr/bin']))}")
    result = pytester.runpytest("--reviewbench-arm=tool", "--reviewbench-verifier=judge")
    result.assert_outcomes(passed=1)
    (record,) = verdicts(project, "tool").values()
    (verdict,) = record["verdicts"].values()
    assert verdict["reason"] == "the mechanism; uid 1000 sees ['/usr/bin']"


def test_a_stage_that_breaks_does_not_lose_the_reports(
    pytester: pytest.Pytester, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object, **keys: object) -> None:
        raise ZeroDivisionError("a bug of ours")

    monkeypatch.setattr("pytest_reviewbench.ending.run_stage", broken)
    result = pytester.runpytest_inprocess("--reviewbench-arm=plain", "--junitxml=x.xml")
    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    result.stdout.fnmatch_lines(["*verification failed: ZeroDivisionError: a bug of ours*"])
    assert report(project)["arms"]["plain"]["numbers"]["bugs_hit"] == 2
    assert "reviewbench.plain.recall_strict" in (project / "x.xml").read_text()


def test_another_corpus_and_an_unfinished_run_are_refused(pytester: pytest.Pytester, project: Path) -> None:
    pytester.runpytest("--reviewbench-arm=tool").assert_outcomes(passed=2)
    (run,) = runs(project)
    write_acting_case(project / "corpus", "c9", "say []")
    refused = reviewbench(project, "verify", run.name, "--sandbox=none")
    assert refused.returncode == 2
    assert "made with corpus" in refused.stderr
    (run / "COMPLETE").unlink()
    assert "not complete" in reviewbench(project, "verify", run.name, "--sandbox=none").stderr


def test_findings_that_another_run_has_verdicts_on_are_not_paid_again(
    pytester: pytest.Pytester, project: Path
) -> None:
    pytester.runpytest("--reviewbench-arm=plain").assert_outcomes(passed=2)
    pytester.runpytest("--reviewbench-arm=tool").assert_outcomes(passed=2)
    done = reviewbench(project, "verify", *[run.name for run in runs(project)], "--sandbox=none")
    assert done.stdout == "2 reviews judged, 0 without verdicts, 2 sessions held\n"
    assert scripted_claude.judged(project / "bin")[2:] == 2 * [["only the tool says this"]]


def test_two_verifiers_stand_side_by_side_and_the_first_counts(pytester: pytest.Pytester, project: Path) -> None:
    asked = ("--reviewbench-verifier=judge:claude:m-1", "--reviewbench-verifier=judge:claude:x/y:1")
    pytester.runpytest("--reviewbench-arm=tool", *asked).assert_outcomes(passed=2)
    made = report(project)
    assert made["verifier"] == "judge-claude-m-1"
    assert len(made["verifiers"]) == 2
    assert made["arms"]["tool"]["by_verifier"].keys() == {*made["verifiers"], "majority"}
    assert all(numbers["judged"] == 2 for numbers in made["arms"]["tool"]["by_verifier"].values())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("jugde", "'jugde' is not judge*"),
        ("judge:", "'judge:' is not judge*"),
        ("judge:cluade", "no agent 'cluade'; did you mean 'claude'*"),
    ],
)
def test_a_verifier_that_cannot_be_is_a_usage_error(
    pytester: pytest.Pytester, project: Path, asked: str, said: str
) -> None:
    result = pytester.runpytest("--reviewbench-arm=tool", f"--reviewbench-verifier={asked}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --reviewbench-verifier: {said}"])
    assert not (project / ".reviewbench").exists()
