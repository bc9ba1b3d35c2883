"""Sessions that end before their time: what is on disk, what is said, and with which exit status."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.samples import (
    HIT,
    logged,
    obedient,
    records,
    report,
    runs,
    statuses,
    write_acting_case,
    write_project,
)
from tests.session.calls import reviewbench

MODES = pytest.mark.parametrize("mode", [("--reviewbench-jobs=2",), ("-n", "2")], ids=["in flight", "xdist"])
SAY_HIT = f"say {json.dumps([HIT])}"
PATIENCE = 30

DYING_ARM = """
import os
from pytest_reviewbench.arms.protocol import Answer

class Dying:
    name = "dying"
    keys = required = frozenset()
    scope = "file"
    versions = {}
    def build(self, spec, host):
        return self
    def answer(self, question):
        if "act: die" in question.patch.read_text():
            os._exit(7)
        return Answer(items=[{"text": "off by one", "file": "pkg/a.py", "line": 2}])

def pytest_reviewbench_families():
    return [Dying()]
"""


def wait_until(true: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"waited {PATIENCE} s for: {what}"
        time.sleep(0.02)


def alive(marker: str) -> list[int]:
    """Processes with `marker` in their arguments."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes()
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if marker.encode() in line and state != "Z":
            found.append(int(entry.name))
    return found


@pytest.fixture
def started(pytester: pytest.Pytester) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start a session that goes on beside the test; its output goes to the file `said`."""
    sessions = []

    def start(*args: str) -> subprocess.Popen[bytes]:
        with open(pytester.path / "said", "wb") as said:
            session = subprocess.Popen(
                [sys.executable, "-m", "pytest", "--reviewbench-arm=arm", *args],
                cwd=pytester.path,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        sessions.append(session)
        return session

    yield start
    for session in sessions:
        if session.poll() is None:
            os.killpg(session.pid, signal.SIGKILL)
        session.wait()
    for pid in alive(str(pytester.path / "obedient.py")):
        os.kill(pid, signal.SIGKILL)


def said(pytester: pytest.Pytester) -> str:
    return (pytester.path / "said").read_text()


def stored(folder: Path) -> set[str]:
    """Cases of the newest run that have a review record on disk."""
    return {path.stem for run in runs(folder)[-1:] for path in (run / "reviews").glob("*.json")}


def two_done_two_stuck_two_waiting(pytester: pytest.Pytester) -> None:
    corpus = pytester.path / "corpus"
    for case, acts in {
        "c1": SAY_HIT,
        "c2": "log c2; sleep 600",
        "c3": "say []",
        "c4": "log c4; sleep 600",
        "c5": "log c5; say []",
        "c6": "log c6; say []",
    }.items():
        write_acting_case(corpus, case, acts)
    write_project(pytester.path, {"arm": obedient(pytester.path)})


def in_the_middle(pytester: pytest.Pytester) -> bool:
    return stored(pytester.path) >= {"c1", "c3"} and sorted(logged(pytester.path)) == ["c2", "c4"]


def properties(testcase: ElementTree.Element) -> dict[str, str]:
    return {p.attrib["name"]: p.attrib["value"] for p in testcase.iter("property")}


@MODES
def test_records_survive_sigkill_and_only_a_partial_report_is_given(
    pytester: pytest.Pytester, started: Callable[..., subprocess.Popen[bytes]], mode: tuple[str, ...]
) -> None:
    two_done_two_stuck_two_waiting(pytester)
    session = started(*mode, "--maxschedchunk=1") if "-n" in mode else started(*mode)
    wait_until(lambda: in_the_middle(pytester), "two reviews done and two running")
    os.killpg(session.pid, signal.SIGKILL)
    session.wait()

    (run,) = runs(pytester.path)
    assert statuses(pytester.path) == {"c1": "ok", "c3": "ok"}
    assert not (run / "COMPLETE").exists()
    refused = reviewbench(pytester.path, "report", run.name)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert re.fullmatch(r"reviewbench: .*not complete \(no COMPLETE file\); add --partial .*\n", refused.stderr)
    partial = reviewbench(pytester.path, "report", "--partial", "--json", run.name)
    assert partial.returncode == 0, partial.stderr
    made = json.loads(partial.stdout)
    assert made["partial"] is True
    assert {row["case"]: row["status"] for row in made["arms"]["arm"]["cases"]} == {
        "c1": "ok",
        "c3": "ok",
        "c2": "crashed",
        "c4": "crashed",
        "c5": "not_run",
        "c6": "not_run",
    }
    assert len(made["missing"]) == 4
    numbers = made["arms"]["arm"]["numbers"]
    assert (numbers["bugs"], numbers["bugs_hit"], numbers["crashed"], numbers["not_run"]) == (2, 1, 2, 2)
    for form in ((), ("--markdown",)):
        assert "partial: 4 reviews have no record" in reviewbench(
            pytester.path, "report", "--partial", *form, run.name
        ).stdout.replace("PARTIAL", "partial").replace("Partial", "partial")
    assert "2/6 reviews  not complete" in reviewbench(pytester.path, "runs").stdout


def test_half_written_files_are_no_records(
    pytester: pytest.Pytester, started: Callable[..., subprocess.Popen[bytes]]
) -> None:
    two_done_two_stuck_two_waiting(pytester)
    session = started("--reviewbench-jobs=2")
    wait_until(lambda: in_the_middle(pytester), "two reviews done and two running")
    os.killpg(session.pid, signal.SIGKILL)
    session.wait()
    (run,) = runs(pytester.path)
    (run / "reviews" / ".c2.json.0a1b2c3d").write_text('{"case": "c2", "sta')
    made = json.loads(reviewbench(pytester.path, "report", "--partial", "--json", run.name).stdout)
    assert {row["case"]: row["status"] for row in made["arms"]["arm"]["cases"]}["c2"] == "crashed"


@MODES
def test_ctrl_c_keeps_what_is_done_writes_every_report_and_leaves_no_process(
    pytester: pytest.Pytester, started: Callable[..., subprocess.Popen[bytes]], mode: tuple[str, ...]
) -> None:
    two_done_two_stuck_two_waiting(pytester)
    extra = ("--maxschedchunk=1",) if "-n" in mode else ()
    session = started(*mode, *extra, "--junitxml=junit.xml", "--json-report", "--json-report-file=json.json")
    wait_until(lambda: in_the_middle(pytester), "two reviews done and two running")
    os.killpg(session.pid, signal.SIGINT)  # as a terminal does: every process of the foreground group
    assert session.wait(PATIENCE) == pytest.ExitCode.INTERRUPTED, said(pytester)

    wait_until(lambda: not alive(str(pytester.path / "obedient.py")), "no reviewer left")
    assert list(Path(os.environ["TMPDIR"]).iterdir()) == [], "no workspace left"
    (run,) = runs(pytester.path)
    assert not (run / "COMPLETE").exists()
    assert statuses(pytester.path) == {"c1": "ok", "c3": "ok"}
    assert sorted(logged(pytester.path)) == ["c2", "c4"], "nothing was started after the interrupt"
    made = report(pytester.path)
    assert made["partial"] is True
    numbers = made["arms"]["arm"]["numbers"]
    assert (numbers["ok"], numbers["crashed"], numbers["not_run"]) == (2, 0, 4)
    suite = ElementTree.parse(pytester.path / "junit.xml")
    assert {p["reviewbench.case"] for p in map(properties, suite.iter("testcase")) if p} == {"c1", "c3"}
    as_json = json.loads((pytester.path / "json.json").read_text())
    assert as_json["reviewbench"]["partial"] is True
    assert as_json["exitcode"] == 2
    assert "NOT COMPLETE: reviewbench report --partial .reviewbench/runs/arm-1-" in said(pytester)
    assert "INTERNALERROR" not in said(pytester)
    assert "PARTIAL: 4 reviews have no record" in said(pytester)


def test_ctrl_c_that_only_the_controller_of_workers_gets_leaves_no_process(
    pytester: pytest.Pytester, started: Callable[..., subprocess.Popen[bytes]]
) -> None:
    two_done_two_stuck_two_waiting(pytester)
    session = started("-n", "2", "--maxschedchunk=1")
    wait_until(lambda: in_the_middle(pytester), "two reviews done and two running")
    session.send_signal(signal.SIGINT)
    assert session.wait(PATIENCE) == pytest.ExitCode.INTERRUPTED, said(pytester)
    wait_until(lambda: not alive(str(pytester.path / "obedient.py")), "no reviewer left")
    assert statuses(pytester.path) == {"c1": "ok", "c3": "ok"}
    (run,) = runs(pytester.path)
    made = json.loads(reviewbench(pytester.path, "report", "--partial", "--json", run.name).stdout)
    numbers = made["arms"]["arm"]["numbers"]
    assert (numbers["ok"], numbers["crashed"], numbers["not_run"]) == (2, 0, 4), "as after any interrupt"


def test_a_session_after_an_interrupted_one_is_a_new_run(
    pytester: pytest.Pytester, started: Callable[..., subprocess.Popen[bytes]]
) -> None:
    two_done_two_stuck_two_waiting(pytester)
    session = started("--reviewbench-jobs=2")
    wait_until(lambda: in_the_middle(pytester), "two reviews done and two running")
    session.send_signal(signal.SIGINT)
    assert session.wait(PATIENCE) == pytest.ExitCode.INTERRUPTED, said(pytester)
    before = {path: path.read_bytes() for path in runs(pytester.path)[0].rglob("*") if path.is_file()}
    result = pytester.runpytest_inprocess("--reviewbench-arm=arm", "--reviewbench-case=c5")
    assert result.ret == 0
    first, second = runs(pytester.path)
    assert {path: path.read_bytes() for path in first.rglob("*") if path.is_file()} == before
    assert (second / "COMPLETE").exists()


def test_a_crashed_worker_is_an_error_not_a_miss(pytester: pytest.Pytester) -> None:
    for case in ("a1", "a2", "a4"):
        write_acting_case(pytester.path / "corpus", case, "hit")
    write_acting_case(pytester.path / "corpus", "a3", "die")
    pytester.makeconftest(DYING_ARM)
    result = pytester.runpytest_inprocess("--reviewbench-arm=dying", "-n2", "--junitxml=j.xml", "--json-report")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=3, failed=1)
    assert statuses(pytester.path) == {"a1": "ok", "a2": "ok", "a3": "crashed", "a4": "ok"}
    assert records(pytester.path)["a3"]["error"] == {
        "kind": "crashed",
        "message": "the worker process died during the review",
    }
    numbers = report(pytester.path)["arms"]["dying"]["numbers"]
    assert (numbers["crashed"], numbers["bugs"], numbers["recall_strict"]) == (1, 3, 1.0)
    assert report(pytester.path)["partial"] is False
    by_case = {
        properties(case)["reviewbench.case"]: case
        for case in ElementTree.parse(pytester.path / "j.xml").iter("testcase")
    }
    assert properties(by_case["a3"])["reviewbench.status"] == "crashed"
    assert by_case["a3"].find("error") is not None
    as_json = json.loads((pytester.path / ".report.json").read_text())
    (died,) = [test for test in as_json["tests"] if test["outcome"] != "passed"]
    assert {"reviewbench.status": "crashed"} in died["user_properties"]
    result.stdout.fnmatch_lines(
        ["*crashed while running 'corpus/manifest.json::a3::dying'*", "*again: pytest --reviewbench-arm=dying *a3*"]
    )


def test_a_process_that_an_arm_ends_leaves_a_crash_and_nobody_retries_it(pytester: pytest.Pytester) -> None:
    write_acting_case(pytester.path / "corpus", "a1", "die")
    pytester.makeconftest(DYING_ARM)
    result = pytester.runpytest_subprocess("--reviewbench-arm=dying")
    assert result.ret == 7
    (run,) = runs(pytester.path)
    made = json.loads(reviewbench(pytester.path, "report", "--partial", "--json", run.name).stdout)
    assert [row["status"] for row in made["arms"]["dying"]["cases"]] == ["crashed"]


@MODES
def test_x_stops_and_what_was_not_reviewed_is_not_run(pytester: pytest.Pytester, mode: tuple[str, ...]) -> None:
    corpus = pytester.path / "corpus"
    write_acting_case(corpus, "a1", "say []")
    write_acting_case(corpus, "a2", "log a2; sleep 0.5; exit 3")
    write_acting_case(corpus, "a3", "log a3; sleep 1; say []")
    for n in range(4, 10):
        write_acting_case(corpus, f"a{n}", f"log a{n}; sleep 1; say []")
    write_project(pytester.path, {"arm": obedient(pytester.path)})
    result = pytester.runpytest_inprocess("--reviewbench-arm=arm", "-x", *mode, "--maxschedchunk=1")
    assert result.ret == (2 if "-n" in mode else 1)  # xdist reports -x as an interrupt
    found = {row["case"]: row["status"] for row in report(pytester.path)["arms"]["arm"]["cases"]}
    assert (found["a1"], found["a2"], found["a9"]) == ("ok", "error", "not_run")
    assert set(found.values()) == {"ok", "error", "not_run"}
    assert len(logged(pytester.path)) < 6, "the rest was not started"
    assert report(pytester.path)["partial"] is True
    assert not alive(str(pytester.path / "obedient.py"))


def test_a_report_that_fails_costs_neither_junit_nor_records(pytester: pytest.Pytester) -> None:
    write_acting_case(pytester.path / "corpus", "a1", SAY_HIT)
    write_project(pytester.path, {"arm": obedient(pytester.path)})
    (pytester.path / ".reviewbench" / "runs" / "report.json").mkdir(parents=True)
    result = pytester.runpytest_inprocess("--reviewbench-arm=arm", "--junitxml=j.xml", "--json-report")
    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    result.stdout.fnmatch_lines(["TROUBLE: the report failed: IsADirectoryError*"])
    assert statuses(pytester.path) == {"a1": "ok"}
    assert (pytester.path / "j.xml").exists()
    assert (pytester.path / ".report.json").exists()


@MODES
def test_reviewers_are_gone_two_seconds_after_the_controller_was_killed(
    pytester: pytest.Pytester, started: Callable[..., subprocess.Popen[bytes]], mode: tuple[str, ...]
) -> None:
    two_done_two_stuck_two_waiting(pytester)
    session = started(*mode, "--maxschedchunk=1") if "-n" in mode else started(*mode)
    wait_until(lambda: in_the_middle(pytester), "two reviews done and two running")
    session.kill()  # not its workers
    session.wait()
    time.sleep(2)
    assert alive(str(pytester.path / "obedient.py")) == []
