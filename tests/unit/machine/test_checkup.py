"""Checks are contained: none ends the others, none takes longer than all may take."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.machine import containment as containment_module
from pytest_reviewbench.machine import interpreter, packages
from pytest_reviewbench.machine.check import Found, Task
from pytest_reviewbench.machine.checkup import answered
from pytest_reviewbench.machine.folders import cache, written_later
from pytest_reviewbench.machine.registries import ask_npm, ask_pip, shown_url
from tests.unit.machine.conftest import Install

SECRET = "ghp_" + "a1B2" * 9
ANSWER = """echo 'npm info using npm@9.9.9
npm http fetch GET 200 http://u:hunter2@h.example/inherits 1ms' >&2; echo '"2.0.4"'"""


def fail(error: BaseException) -> Found:
    raise error


@pytest.mark.parametrize(
    ("error", "detail", "advice"),
    [
        (ValueError(f"two\nlines with {SECRET}"), "ValueError: two lines with [redacted]", "this check itself"),
        (SettingsError("x: write y"), None, "x: write y"),
        (SystemExit(3), "SystemExit: 3", "this check itself"),
        (pytest.skip.Exception("no"), "Skipped: no", "this check itself"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_a_check_that_raises_is_broken_with_its_reason(
    error: BaseException, detail: str | None, advice: str
) -> None:
    check = Task("git", "odd", lambda: fail(error), needed=True).done()
    assert (check.state, check.detail, check.needed) == ("broken", detail, True)
    assert (check.advice or "").startswith(advice)


def test_what_does_not_end_is_broken_and_the_others_stand(children: Children, tmp_path: Path) -> None:
    def child() -> Found:
        children.run(["sleep", "60"], cwd=tmp_path, env={"PATH": "/bin:/usr/bin"}, timeout=60)
        return Found("usable")

    def stuck() -> Found:
        time.sleep(8)
        return Found("usable")

    tasks = [Task("a", "child", child), Task("a", "quick", lambda: Found("usable")), Task("a", "stuck", stuck)]
    started = time.monotonic()
    checks = answered(tasks, children, 1.0)
    assert time.monotonic() - started < 7
    assert [(check.name, check.state) for check in checks] == [
        ("child", "broken"),
        ("quick", "usable"),
        ("stuck", "broken"),
    ]
    assert checks[0].detail == checks[2].detail == "no answer within 1 s"


def test_the_interpreter_and_the_system() -> None:
    assert interpreter.interpreter((3, 10)).state == "broken"
    assert interpreter.interpreter((3, 11)).state == "usable"
    assert interpreter.environment("/venv", "/usr").state == "usable"
    assert interpreter.environment("/usr", "/usr").state == "limited"
    assert [interpreter.system(name).state for name in ("linux", "darwin", "win32")] == [
        "usable",
        "usable",
        "broken",
    ]


def test_packages_are_held_against_what_this_package_requires(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {"pytest": "8.4.2", "pytest-xdist": "3.10.0"}
    monkeypatch.setattr(packages, "_version", versions.get)
    old, new, gone = (packages.required(name) for name in ("pytest", "pytest-xdist", "pytest-json-report"))
    assert (old.state, old.advice) == ("broken", f"{sys.executable} -m pip install 'pytest>=9.0'")
    assert (new.state, new.version) == ("usable", "3.10.0")
    assert gone.state == "missing"
    assert packages.optional("pytest-timeout", "x").state == "missing"


def test_a_plugin_that_pytest_does_not_load_is_broken_and_says_by_what(children: Children) -> None:
    found = packages.registered(children, {"PATH": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    assert (found.state, found.advice) == ("broken", "look at PYTEST_DISABLE_PLUGIN_AUTOLOAD")


def test_limits_are_those_that_hold(children: Children, monkeypatch: pytest.MonkeyPatch) -> None:
    found = containment_module.limits(children)
    assert found.detail == ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in sorted(children.bounded.items()))
    monkeypatch.setattr(children, "run", lambda *_, **__: None)
    children.bounded = {"memory": "unbounded", "processes": "watched"}
    loose = containment_module.limits(children)
    assert loose.state == "limited"
    assert "memory" in (loose.advice or "")


def test_folders_are_judged_without_leaving_anything(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "thing").write_bytes(b"x" * 2500)
    (tmp_path / "file").touch()
    assert "2 kB" in (cache(tmp_path / "cache").detail or "")
    assert cache(tmp_path / "new" / "cache").state == "usable"
    assert cache(tmp_path / "file" / "cache").state == "broken"
    assert written_later(tmp_path / "file" / "runs", "x").detail == f"{tmp_path / 'file'} is not a folder"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["cache", "file", "thing"]


def test_addresses_of_registries_are_shown_without_what_opens_them() -> None:
    assert shown_url("https://me:pw@host/simple?token=1#x") == "https://[redacted]@host/simple"
    assert shown_url("https://tok@en@host/simple") == "https://[redacted]@host/simple"
    assert shown_url("https://host/simple") == "https://host/simple"


def test_a_registry_that_is_not_to_be_asked_is_not(children: Children, install: Install, tmp_path: Path) -> None:
    install("npm", f"touch {tmp_path}/asked")
    for found in (ask_pip(children, {}, True), ask_npm(children, {}, True)):
        assert (found.state, found.detail) == ("limited", "not asked: --offline")
    assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize(
    ("body", "state", "said"),
    [
        (ANSWER, "usable", "http://[redacted]@h.example answers"),
        ("""echo '{"error": {"code": "ECONNREFUSED", "summary": "x"}}'; exit 1""", "broken",
         "the registry does not answer: ECONNREFUSED"),
        ("""echo '{"error": {"code": "E404", "summary": "x"}}'; exit 1""", "limited", "has no inherits"),
        (f"echo 'a {SECRET}' >&2; exit 9", "broken", "npm failed: a [redacted]"),
    ],
    ids=["answers", "unreachable", "without", "failure"],
)  # fmt: skip
def test_what_npm_says_of_its_registry(
    children: Children, install: Install, monkeypatch: pytest.MonkeyPatch, body: str, state: str, said: str
) -> None:
    path = install("npm", body)
    monkeypatch.setattr("pytest_reviewbench.machine.registries.find_program", lambda name: path)
    found = ask_npm(children, {"PATH": ""}, False)
    check = Task("registries", "npm", lambda: found).done()
    assert check.state == state
    assert said in (check.detail or "")
    assert "hunter2" not in str(check)
    assert SECRET not in str(check)
