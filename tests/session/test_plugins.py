"""Beside other plugins, and without them: the same reviews, once each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.samples import (
    HIT,
    logged,
    obedient,
    records,
    report,
    runs,
    say,
    statuses,
    write_acting_case,
    write_case,
    write_project,
)

MODES = pytest.mark.parametrize("mode", [(), ("-n", "2")], ids=["in flight", "xdist"])
ONE_WORKER = pytest.mark.parametrize("mode", [(), ("-n", "1")], ids=["in flight", "one worker"])


def configure(folder: Path, lines: str) -> None:
    """Add pytest's own settings to the project."""
    project = folder / "pyproject.toml"
    project.write_text(f"[tool.pytest.ini_options]\n{lines}\n{project.read_text()}")


def most_at_once(folder: Path) -> int:
    """How many reviews were running together, from a log of `+` and `-`."""
    running = most = 0
    for line in logged(folder):
        running += 1 if line == "+" else -1
        most = max(most, running)
    return most


@pytest.mark.parametrize(
    "args",
    [
        ("-p", "no:xdist"),
        ("-n", "0"),
        ("-p", "no:terminal"),
        ("-p", "no:cacheprovider"),
        ("-p", "no:junitxml"),
        ("-p", "no:json-report", "-p", "no:metadata"),
        ("-p", "no:timeout"),
        ("-p", "no:rerunfailures"),
        ("-p", "randomly"),
        ("-W", "error"),
        ("-s", "--showlocals"),
        ("--import-mode=importlib",),
        ("--strict-markers", "--strict-config"),
    ],
    ids=" ".join,
)
def test_a_session_reviews_and_counts_the_same_with(pytester: pytest.Pytester, args: tuple[str, ...]) -> None:
    write_case(pytester.path / "corpus", "py-1")
    write_case(pytester.path / "corpus", "py-2", bugs=[])
    write_project(pytester.path, {"echo": say([HIT])})
    # Another seed or filter of warnings must not get into this process, and what is warned of at its end be seen.
    apart = {"randomly", "error"} & {*args}
    run = pytester.runpytest_subprocess if apart else pytester.runpytest_inprocess
    result = run("--reviewbench-arm=echo", *args)
    assert result.ret == 0
    assert statuses(pytester.path) == {"py-1": "ok", "py-2": "ok"}
    assert report(pytester.path)["arms"]["echo"]["numbers"]["precision_strict"] == 0.5
    assert "arning" not in result.stdout.str() + result.stderr.str()
    assert ("Using --randomly-seed" in result.stdout.str()) is ("randomly" in args)


def test_json_report_holds_the_reviews_only_when_it_was_asked_for(pytester: pytest.Pytester) -> None:
    write_case(pytester.path / "corpus", "py-1")
    write_project(pytester.path, {"echo": say([HIT])})
    pytester.runpytest_inprocess("--reviewbench-arm=echo").assert_outcomes(passed=1)
    assert not (pytester.path / ".report.json").exists()
    pytester.makepyfile(test_own="def test_own(): pass")
    pytester.runpytest_inprocess("--json-report", "test_own.py").assert_outcomes(passed=1)
    assert "reviewbench" not in json.loads((pytester.path / ".report.json").read_text())


@pytest.mark.parametrize("addopts", ["", "--dist=loadgroup", "-n 0", "-p no:xdist"])
def test_without_workers_several_reviews_are_in_flight(pytester: pytest.Pytester, addopts: str) -> None:
    for n in range(4):
        write_acting_case(pytester.path / "corpus", f"c{n}", "log +; meet 3; sleep 0.5; log -; say []")
    write_project(pytester.path, {"arm": obedient(pytester.path)})
    configure(pytester.path, f'addopts = "{addopts}"')
    pytester.runpytest_inprocess("--reviewbench-arm=arm", "--reviewbench-jobs=3").assert_outcomes(passed=4)
    assert most_at_once(pytester.path) == 3
    (run,) = runs(pytester.path)
    assert json.loads((run / "manifest.json").read_text())["jobs"] == 3


def test_with_n_workers_n_reviews_run_whatever_the_jobs(pytester: pytest.Pytester) -> None:
    for n in range(6):
        write_acting_case(pytester.path / "corpus", f"c{n}", "log +; meet 2; sleep 0.3; log -; say []")
    write_project(pytester.path, {"arm": obedient(pytester.path)})
    args = ("--reviewbench-arm=arm", "-n", "2", "--reviewbench-jobs=6")
    pytester.runpytest_inprocess(*args).assert_outcomes(passed=6)
    assert most_at_once(pytester.path) == 2
    (run,) = runs(pytester.path)
    assert json.loads((run / "manifest.json").read_text())["jobs"] == 2


def test_one_job_means_one_review_at_a_time(pytester: pytest.Pytester) -> None:
    for n in range(3):
        write_acting_case(pytester.path / "corpus", f"c{n}", "log +; sleep 0.2; log -; say []")
    write_project(pytester.path, {"arm": obedient(pytester.path)})
    pytester.runpytest_inprocess("--reviewbench-arm=arm", "-oreviewbench_jobs=1").assert_outcomes(passed=3)
    assert most_at_once(pytester.path) == 1


@ONE_WORKER
@pytest.mark.parametrize("method", ["signal", "thread"])
def test_a_timeout_meant_for_tests_does_not_kill_a_review(
    pytester: pytest.Pytester, mode: tuple[str, ...], method: str
) -> None:
    write_acting_case(pytester.path / "corpus", "c1", "sleep 1; say []")
    write_project(pytester.path, {"arm": obedient(pytester.path)})
    configure(pytester.path, f'timeout = 0.5\ntimeout_method = "{method}"')
    pytester.runpytest_subprocess("--reviewbench-arm=arm", "--strict-markers", *mode).assert_outcomes(passed=1)
    assert statuses(pytester.path) == {"c1": "ok"}


@MODES
def test_reruns_report_the_stored_record_again_and_pay_once(
    pytester: pytest.Pytester, mode: tuple[str, ...]
) -> None:
    write_acting_case(pytester.path / "corpus", "c1", "log c1; exit 3")
    write_acting_case(pytester.path / "corpus", "c2", "log c2; say []")
    write_project(pytester.path, {"arm": obedient(pytester.path)})
    args = ("--reviewbench-arm=arm", "--reruns=2", "--junitxml=j.xml", "--json-report", *mode)
    result = pytester.runpytest_inprocess(*args)
    assert result.parseoutcomes() == {"failed": 1, "passed": 1, "rerun": 2}
    assert sorted(logged(pytester.path)) == ["c1", "c2"]
    assert records(pytester.path)["c1"]["error"]["kind"] == "exit"
    tests = json.loads((pytester.path / ".report.json").read_text())["tests"]
    for test in tests:
        names = [name for pair in test["user_properties"] for name in pair]
        assert len(names) == len(set(names)), "said once"


def test_reruns_after_a_dead_worker_do_not_pay_again(pytester: pytest.Pytester) -> None:
    write_acting_case(pytester.path / "corpus", "c1", "die")
    write_acting_case(pytester.path / "corpus", "c2", "live")
    pytester.makeconftest(
        """
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
                with open("log", "a") as log:
                    log.write("paid\\n")
                if "act: die" in question.patch.read_text():
                    os._exit(7)
                return Answer()
        def pytest_reviewbench_families():
            return [Dying()]
        """
    )
    pytester.runpytest_subprocess("--reviewbench-arm=dying", "-n", "2", "--reruns=2")
    assert logged(pytester.path) == ["paid", "paid"]
    assert statuses(pytester.path) == {"c1": "crashed", "c2": "ok"}


@pytest.mark.parametrize("scheduler", ["worksteal", "loadscope", "loadfile", "loadgroup", "each"])
def test_every_scheduler_of_xdist_reviews_each_case_once(pytester: pytest.Pytester, scheduler: str) -> None:
    for n in range(4):
        write_acting_case(pytester.path / "corpus", f"c{n}", f"log c{n}; say []")
    write_project(pytester.path, {"arm": obedient(pytester.path)})
    result = pytester.runpytest_inprocess("--reviewbench-arm=arm", "-n", "2", f"--dist={scheduler}")
    assert result.ret == 0
    assert sorted(logged(pytester.path)) == ["c0", "c1", "c2", "c3"]
    assert report(pytester.path)["partial"] is False
