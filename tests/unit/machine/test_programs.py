"""Analysers and agents, asked for their versions: whatever a program does, one row says it and no secret does."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_reviewbench.machine import agents, analysers
from pytest_reviewbench.machine.agents import AGENTS, Agent
from pytest_reviewbench.machine.check import Check, Found, Task
from pytest_reviewbench.machine.containment import Containment
from tests.unit.machine.conftest import Install

SECRET = "sk-ant-api03-" + "Zq7" * 20
AGENT = Agent("some-agent", "@some/agent", ("SOME_API_KEY", "OTHER_API_KEY"))


def told(found: Found) -> Check:
    return Task("agents", "some-agent", lambda: found).done()


@pytest.mark.parametrize(
    ("body", "state", "version", "detail"),
    [
        ("echo 'some-agent 1.2.3-beta (build 7)'", "usable", "1.2.3-beta", None),
        (f"echo 'no key {SECRET}' >&2; exit 3", "broken", None, "exit code 3: no key [redacted]"),
        (r"printf '\377\376\000\001 garbage \033[31m'", "limited", None, "named no version"),
        ("echo 4.5.6; kill -9 $$", "broken", None, "exit code"),
        ("sleep 60", "broken", None, "did not end within 0.5 s"),
    ],
    ids=["version", "failure", "garbage", "killed", "hangs"],
)
def test_an_agent_is_what_it_does(
    install: Install,
    containment: Containment,
    monkeypatch: pytest.MonkeyPatch,
    body: str,
    state: str,
    version: str | None,
    detail: str | None,
) -> None:
    monkeypatch.setattr(agents, "SECONDS", 0.5 if "sleep" in body else 10.0)
    path = install("some-agent", body)
    check = told(agents.asked(AGENT, containment, {}))
    assert (check.state, check.version, check.runs) == (state, version, (path,)), check
    assert (detail or "no variable with a key is set") in (check.detail or "")
    assert (check.advice is None) == (state == "usable")
    assert SECRET[:20] not in str(check)


def test_a_missing_agent_names_what_installs_it(containment: Containment) -> None:
    for agent in AGENTS:
        there = Agent(f"no-{agent.program}", agent.package, agent.keys)
        check = told(agents.asked(there, containment, {}))
        assert (check.state, check.version, check.runs) == ("missing", None, None)
        assert check.advice == f"npm i -g {agent.package}"


def test_variables_with_keys_are_told_by_name_and_not_given_to_the_agent(
    install: Install, containment: Containment, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = {"SOME_API_KEY": "hunter2-hunter2", "OTHER_API_KEY": ""}
    monkeypatch.setenv("SOME_API_KEY", "hunter2-hunter2")
    install("some-agent", 'env >&2; echo 1.0; test -z "$SOME_API_KEY"')
    check = told(agents.asked(AGENT, containment, environ))
    assert (check.state, check.detail) == ("usable", "set: SOME_API_KEY")
    assert told(agents.asked(Agent("nowhere", "x", AGENT.keys), containment, environ)).detail == "set: SOME_API_KEY"
    assert "hunter2" not in str(check)


def test_a_login_is_told_by_its_file_and_never_read(
    install: Install, containment: Containment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("codex", "echo 1.0")
    codex = next(agent for agent in AGENTS if agent.program == "codex")
    environ = {"CODEX_HOME": str(tmp_path)}
    check = told(agents.asked(codex, containment, environ))
    assert check.detail == f"no variable with a key is set; a login is not in {tmp_path}/auth.json"
    (tmp_path / "auth.json").write_text('{"tokens": "hunter2-hunter2-hunter2"}')
    (tmp_path / "auth.json").chmod(0)
    check = told(agents.asked(codex, containment, environ))
    assert check.detail == f"no variable with a key is set; a login lies in {tmp_path}/auth.json"


def test_an_agent_without_the_program_it_searches_with_is_limited(
    install: Install, containment: Containment, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("opencode", "echo 1.0")
    opencode = next(agent for agent in AGENTS if agent.program == "opencode")
    for needed, state in (("no-such-program", "limited"), ("opencode", "usable")):
        monkeypatch.setattr(agents, "NEEDS", {"opencode": (needed, "ripgrep")})
        check = told(agents.asked(opencode, containment, {}))
        assert check.state == state
    assert check.advice is None


def test_what_an_agent_writes_to_its_home_goes_to_a_private_one(
    install: Install, containment: Containment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "login").write_text("mine")
    monkeypatch.setenv("HOME", str(home))
    install(
        "some-agent",
        'test ! -e "$HOME/login" && mkdir "$HOME/.agent" && echo x >"$HOME/.agent/state" && echo "1.0 in $HOME"',
    )
    assert agents.asked(AGENT, containment, {}).state == "usable"
    assert [path.name for path in home.iterdir()] == ["login"]


def test_an_analyser_is_asked_as_the_arm_runs_it(
    install: Install, containment: Containment, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = install("some-linter", 'echo "7.8 $LC_ALL" && test "$LC_ALL" = C.UTF-8')
    monkeypatch.setattr(analysers, "find_program", lambda name: path if name == "ruff" else None)
    ruff, pyrefly = (analysers.asked(name, "python", containment) for name in ("ruff", "pyrefly"))
    assert (ruff.state, ruff.version) == ("usable", "7.8")
    assert (pyrefly.state, pyrefly.advice) == ("missing", "pip install 'pytest-reviewbench[tools]'")


def test_an_agent_that_only_works_uncontained_is_limited(
    install: Install, containment: Containment, tmp_path: Path
) -> None:
    if containment.sandbox().program is None:
        pytest.skip("no sandbox here")
    (tmp_path / "data").write_text("1.2.3")
    install("some-agent", f"cat {tmp_path}/data")
    check = told(agents.asked(AGENT, containment, {}))
    assert (check.state, check.version) == ("limited", None)
    assert "only outside the sandbox" in (check.detail or "")
