"""Where reviewers run: contained where that works, said aloud where it does not, refused where it was asked for."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from benchmarks import exposure
from pytest_reviewbench.contain.preflight import probe
from pytest_reviewbench.contain.process import Children
from tests.samples import records, report, runs, say, write_case, write_project

FALLBACK = "NOT CONTAINED, reviewers could see this whole machine, the truth included: bwrap is not installed"
WHO = "import json, os; print(json.dumps([{'text': f'uid {os.getuid()} in {os.getcwd()} {os.listdir(chr(47))}'}]))"


@pytest.fixture
def project(pytester: pytest.Pytester) -> Path:
    """Two cases, and an arm that says who it is; the sandbox is left to its default."""
    for case in ("c1", "c2"):
        write_case(pytester.path / "corpus", case)
    write_project(pytester.path, {"arm": {"family": "command", "argv": ["python3", "-c", WHO]}}, sandbox="auto")
    return pytester.path


@pytest.fixture
def no_bwrap(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PATH on which everything but bwrap is found; its folder, for a bwrap of one's own."""
    folder = tmp_path_factory.mktemp("path")
    for name in ("sh", "true", "env"):
        (folder / name).symlink_to(shutil.which(name) or f"/bin/{name}")
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def _bwrap() -> None:
    children = Children()
    found = probe(children)
    children.close()
    if found.program is None:
        pytest.skip(f"no sandbox on this machine: {found.reason}")


needs_bwrap = pytest.mark.usefixtures("_bwrap")
MODES = pytest.mark.parametrize("mode", [(), ("-n", "2")], ids=["in flight", "xdist"])


@needs_bwrap
@MODES
def test_reviewers_run_in_the_sandbox_where_it_works(
    pytester: pytest.Pytester, project: Path, mode: tuple[str, ...]
) -> None:
    result = pytester.runpytest_subprocess("--reviewbench-arm=arm", *mode)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["reviewbench: sandbox bwrap *.*"])
    result.stdout.no_fnmatch_line("*NOT CONTAINED*")
    for record in records(project).values():
        (finding,) = record["findings"]
        assert finding["text"].startswith("uid 1000 in ")
        assert "'var'" not in finding["text"]
    manifest = json.loads((runs(project)[0] / "manifest.json").read_text())
    assert manifest["sandbox"].startswith("bwrap ")
    assert manifest["uncontained"] is None
    assert manifest["bounded"]["memory"] == "watched"


@MODES
def test_without_bwrap_they_run_all_the_same_and_terminal_report_and_manifest_say_so(
    pytester: pytest.Pytester, project: Path, no_bwrap: Path, mode: tuple[str, ...]
) -> None:
    result = pytester.runpytest_subprocess("--reviewbench-arm=arm", *mode)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["reviewbench: sandbox none: bwrap is not installed; install bubblewrap*"])
    assert FALLBACK in " ".join(line.strip() for line in result.outlines)
    assert FALLBACK in (project / ".reviewbench" / "runs" / "report.md").read_text()
    (run,) = report(project)["runs"]
    assert run["sandbox"] == "none"
    assert run["uncontained"].startswith("bwrap is not installed")


@pytest.mark.parametrize("option", ["--reviewbench-sandbox=bwrap", "--reviewbench-strict"])
@pytest.mark.parametrize("broken", ["", "bwrap: setting up uid map: Permission denied"], ids=["missing", "refused"])
def test_who_insists_on_a_sandbox_gets_one_line_and_nothing_is_spent(
    pytester: pytest.Pytester, project: Path, no_bwrap: Path, option: str, broken: str
) -> None:
    if broken:
        fake_bwrap(no_bwrap, broken)
    result = pytester.runpytest_subprocess("--reviewbench-arm=arm", option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in result.errlines if line]
    assert line.startswith(f"ERROR: {option}: bwrap ")
    assert (broken.removeprefix("bwrap: ") or "install bubblewrap") in line
    assert not (project / ".reviewbench").exists()


def test_strict_and_no_sandbox_contradict_each_other(pytester: pytest.Pytester, project: Path) -> None:
    result = pytester.runpytest("--reviewbench-arm=arm", "--reviewbench-strict", "--reviewbench-sandbox=none")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --reviewbench-strict forbids what --reviewbench-sandbox=none asks for*"])


def test_no_sandbox_because_it_was_asked_for_is_said_as_well(pytester: pytest.Pytester, project: Path) -> None:
    result = pytester.runpytest("--reviewbench-arm=arm", "--reviewbench-sandbox=none")
    result.assert_outcomes(passed=2)
    assert report(project)["runs"][0]["uncontained"] == "--reviewbench-sandbox=none"
    assert "truth included: --reviewbench-sandbox=none" in " ".join(line.strip() for line in result.outlines)


def fake_bwrap(folder: Path, message: str) -> None:
    program = folder / "bwrap"
    program.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 9.9.9 && exit\necho "{message}" >&2\nexit 1\n'
    )
    program.chmod(0o755)


@pytest.mark.parametrize(
    ("message", "advice"),
    [
        ("bwrap: Unknown option --disable-userns", "install bubblewrap 0.8 or newer"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "systempaths=unconfined"),
        ("bwrap: No permissions to create new namespace", "seccomp=unconfined"),
        ("bwrap: Creating new namespace failed: No space left on device", "user.max_user_namespaces"),
        ("bwrap: something else", "see docs/security.md"),
    ],
)
def test_each_refusal_of_a_machine_comes_with_what_to_do(no_bwrap: Path, message: str, advice: str) -> None:
    fake_bwrap(no_bwrap, message)
    children = Children()
    found = probe(children)
    children.close()
    assert found.program is None
    assert found.reason is not None
    assert found.reason.startswith(f"bwrap 9.9.9 does not work here: {message}")
    assert advice in found.reason


@needs_bwrap
def test_nothing_planted_is_reached_inside_and_nearly_all_of_it_outside() -> None:
    inside, outside = exposure.reached_by("bwrap"), exposure.reached_by("none")
    assert {name for name, state in inside.items() if state != "-"} == {"its own home, to write (it may)"}
    assert {name for name, state in outside.items() if state == "-"} == {
        "an environment value, in its own environment",
        "the corpus, in mountinfo",
    }
    assert inside.keys() == outside.keys()


@needs_bwrap
def test_an_arm_that_asks_for_it_has_network(pytester: pytest.Pytester, project: Path) -> None:
    script = "import json, os; print(json.dumps([{'text': ' '.join(os.listdir('/etc'))}]))"
    arm = {"family": "command", "argv": ["python3", "-c", script]}
    write_project(project, {"off": arm, "on": {**arm, "network": True}}, sandbox="bwrap")
    pytester.runpytest("--reviewbench-arm=off", "--reviewbench-arm=on", "--reviewbench-case=c1").assert_outcomes(
        passed=2
    )
    seen = {
        run.name.split("-")[0]: json.loads((run / "reviews" / "c1.json").read_text())["findings"][0]["text"]
        for run in runs(project)
    }
    assert "hosts" in seen["on"]
    assert "hosts" not in seen["off"]


def test_network_of_an_arm_is_true_or_false(pytester: pytest.Pytester, project: Path) -> None:
    write_project(project, {"arm": {**say([]), "network": "yes"}})
    result = pytester.runpytest("--reviewbench-arm=arm")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: *[[]tool.reviewbench.arms.arm] network: expected true or false, got 'yes'"]
    )


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("x = b'x' * (9 << 30)", "MemoryError"),
        ("import os, time\nfor _ in range(12): os.fork()\ntime.sleep(60)", "they were too many"),
    ],
    ids=["memory", "processes"],
)
def test_a_reviewer_that_takes_too_much_is_an_error_not_a_miss(
    pytester: pytest.Pytester, project: Path, script: str, said: str
) -> None:
    write_project(project, {"arm": {"family": "command", "argv": ["python3", "-c", script]}})
    result = pytester.runpytest("--reviewbench-arm=arm", "--reviewbench-case=c1")
    result.assert_outcomes(failed=1)
    record = records(project)["c1"]
    assert record["status"] == "error"
    assert said in record["error"]["message"]
