"""`reviewbench doctor`: one table, one JSON object, and an exit status that says whether `tools` can review."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pytest_reviewbench.cli.doctor import TITLES, lines
from pytest_reviewbench.machine import checkup, registries
from pytest_reviewbench.machine.check import GROUPS, Check, Checkup
from tests.samples import say, write_case, write_project
from tests.session.calls import reviewbench, reviewbench_apart

SECRET = "hunter2-hunter2-hunter2"


def doctor(folder: Path, *options: str) -> tuple[int, dict[str, dict[str, Any]]]:
    """(exit status, the checks by name)."""
    done = reviewbench(folder, "doctor", "--offline", "--json", *options)
    assert done.stderr == ""
    made = json.loads(done.stdout)
    assert made["schema"] == 1
    assert made["usable"] == (done.returncode == 0)
    return done.returncode, {check["name"]: check for check in made["checks"]}


def row(**changes: Any) -> Check:
    plain: dict[str, Any] = {
        "group": "git", "name": "git", "state": "usable", "needed": True, "version": None, "runs": None,
        "detail": None, "advice": None,
    }  # fmt: skip
    return Check(**{**plain, **changes})


def test_every_group_has_rows_of_one_shape_and_nothing_is_left_behind(tmp_path: Path) -> None:
    printed = reviewbench_apart(tmp_path, "doctor", "--offline")
    given = reviewbench_apart(tmp_path, "doctor", "--offline", "--json")
    assert printed.stderr == given.stderr == ""
    assert printed.returncode == given.returncode
    assert list(tmp_path.iterdir()) == []
    assert all(len(line) <= 100 for line in printed.stdout.splitlines())
    made = json.loads(given.stdout)
    checks = made["checks"]
    assert checks == sorted(checks, key=lambda check: (check["group"], check["name"]))
    assert {check["group"] for check in checks} == {*GROUPS} - {"project"}
    assert {*GROUPS} == TITLES.keys()
    msgspec.convert(made, Checkup)
    for check in checks:
        assert check.keys() == {*Check.__struct_fields__}
        assert check["name"][:20] in printed.stdout
        assert check["advice"] is None if check["state"] == "usable" else check["advice"]
        if check["runs"]:
            assert Path(check["runs"][0]).is_absolute()


def test_a_project_is_held_against_what_a_session_would_say(tmp_path: Path) -> None:
    write_case(tmp_path / "corpus", "py-1")
    arms: dict[str, Any] = {
        "good": say([]),
        "gone": {"family": "command", "argv": ["./no/such/program"]},
        "odd": {"family": "command", "argv": ["python3"], "scope": "all"},
        "strange": {"family": "oracle"},
    }
    write_project(tmp_path, arms)
    _, checks = doctor(tmp_path)
    assert checks["corpus"]["state"] == "usable"
    assert "1 cases: 1 test, 0 train" in checks["corpus"]["detail"]
    assert checks["arm good"]["state"] == "usable"
    assert checks["arm good"]["runs"][1] == "-c"
    assert (checks["arm gone"]["state"], checks["arm odd"]["state"]) == ("missing", "broken")
    assert checks["arm odd"]["advice"].endswith("scope: expected 'hunks' or 'file', got 'all'")
    assert "no family 'oracle'" in checks["arm strange"]["advice"]
    (tmp_path / "conftest.py").write_text("raise SystemExit('doctor ran this')")
    assert doctor(tmp_path)[1]["arm strange"]["state"] == "limited"


def test_what_would_end_a_session_is_exit_1(tmp_path: Path) -> None:
    write_case(tmp_path / "corpus", "py-1", patch=None)
    write_project(tmp_path, {}, settings='jobs = "many"')
    code, checks = doctor(tmp_path)
    assert code == 1
    assert "has neither change.patch" in checks["corpus"]["advice"]
    assert "jobs" in checks["pyproject.toml"]["advice"]
    printed = reviewbench(tmp_path, "doctor", "--offline").stdout
    last = printed.partition("not usable: ")[2]
    assert "corpus is broken" in last
    assert "pyproject.toml is broken" in last


def test_a_sandbox_is_needed_only_where_it_is_asked_for(tmp_path: Path) -> None:
    assert not doctor(tmp_path)[1]["bubblewrap"]["needed"]
    write_project(tmp_path, {}, sandbox="bwrap")
    assert doctor(tmp_path)[1]["bubblewrap"]["needed"]


def test_no_secret_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("claude", "codex", "gemini", "opencode"):
        program = tmp_path / "bin" / name
        program.write_text(f"#!/bin/sh\necho 1.0.{SECRET}; echo {SECRET} >&2; exit {len(name) % 2}\n")
        program.chmod(0o755)
    arm = {"family": "command", "argv": ["python3", "--key", SECRET, f"https://me:{SECRET}@host.example/"]}
    write_project(tmp_path, {"mine": arm})
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    for options in ((), ("--json",)):
        done = reviewbench_apart(tmp_path, "doctor", "--offline", *options)
        assert SECRET not in done.stdout + done.stderr
        assert "set: ANTHROPIC_API_KEY" in done.stdout


@pytest.mark.parametrize(
    ("checks", "code"),
    [
        ([row()], 0),
        ([row(), row(name="x", needed=False, state="broken", advice="a")], 0),
        ([row(), row(name="x", state="limited", advice="a")], 1),
        ([row(state="missing", advice="a")], 1),
    ],
    ids=["usable", "not needed", "limited", "missing"],
)
def test_the_exit_status_is_that_of_what_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checks: list[Check], code: int
) -> None:
    monkeypatch.setattr(checkup, "answered", lambda *_: list(checks))
    assert reviewbench(tmp_path, "doctor", "--json").returncode == code
    assert reviewbench(tmp_path, "doctor").returncode == code


def test_a_check_that_raises_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(*_: object) -> None:
        raise RuntimeError("what\na day")

    monkeypatch.setattr(registries, "ask_npm", raising)
    _, checks = doctor(tmp_path)
    assert (checks["npm"]["state"], checks["npm"]["detail"]) == ("broken", "RuntimeError: what a day")


def test_usage_errors_are_exit_2(tmp_path: Path) -> None:
    assert reviewbench(tmp_path, "doctor", "--jsn").returncode == 2
    assert reviewbench(tmp_path, "doctor", "more").returncode == 2


def test_long_and_strange_texts_stay_within_the_width() -> None:
    strange = row(
        name="arm " + "n" * 60, state="broken", version="1." + "0" * 50, runs=("/" + "p" * 200, "a b"),
        detail="word " * 60, advice="/very/long/" * 30,
    )  # fmt: skip
    printed = list(lines(Checkup(usable=False, offline=False, checks=(strange,))))
    assert max(map(len, printed)) <= 100


def test_a_terminal_that_knows_ascii_only_is_no_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = reviewbench_apart(tmp_path, "doctor", "--offline")
    assert "Traceback" not in done.stderr
    assert sys.executable.rpartition("/")[0] in done.stdout
