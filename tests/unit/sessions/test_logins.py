"""Logins that agents keep in files: lent as a copy, given back refreshed, never printed."""

from __future__ import annotations

import itertools
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.errors import ReviewFailed, SettingsError
from pytest_reviewbench.redact import Redactor
from pytest_reviewbench.sessions import logins
from pytest_reviewbench.sessions.agents import AGENTS
from pytest_reviewbench.sessions.codex import Codex
from pytest_reviewbench.sessions.holder import Holder
from pytest_reviewbench.sessions.logins import AtHome, Login, inherited, learn, login_of
from pytest_reviewbench.sessions.protocol import Probe
from tests.unit.sessions.making import asked

PLACES = {
    "claude": ".claude/.credentials.json",
    "codex": ".codex/auth.json",
    "gemini": ".gemini/oauth_creds.json",
    "opencode": ".local/share/opencode/auth.json",
}
TOKEN, REFRESHED = "planted-login-0123456789abcdef", "planted-refresh-0123456789abcdef"


@pytest.fixture(autouse=True)
def redactor(monkeypatch: pytest.MonkeyPatch) -> Redactor:
    made = Redactor({})
    monkeypatch.setattr(logins, "process_redactor", lambda: made)
    return made


def logged_in(home: Path, agent: str = "claude", text: str | None = None) -> Login:
    file = home / PLACES[agent]
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"tokens": {"access": TOKEN, "expires": 5}}) if text is None else text)
    return Login(file, PLACES[agent])


@pytest.mark.parametrize("agent", PLACES)
def test_a_login_is_lent_as_a_copy_of_one_file(tmp_path: Path, agent: str) -> None:
    own, home = tmp_path / "own", tmp_path / "home"
    file = logged_in(own, agent).file
    (file.parent / "settings.json").write_text("{}")
    agent_, login = inherited(AGENTS[agent], {"HOME": str(own)})
    assert agent_ is AGENTS[agent]
    assert login is not None
    with login.lent(home):
        there = [path for path in home.rglob("*") if path.is_file()]
        assert there == [home / PLACES[agent]]
        assert there[0].read_bytes() == file.read_bytes()
        assert there[0].stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("agent", "variable", "below"),
    [
        ("claude", "CLAUDE_CONFIG_DIR", ".credentials.json"),
        ("codex", "CODEX_HOME", "auth.json"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/oauth_creds.json"),
        ("opencode", "XDG_DATA_HOME", "opencode/auth.json"),
    ],
)
def test_a_login_is_found_where_its_agent_was_told_to_keep_it(
    tmp_path: Path, agent: str, variable: str, below: str
) -> None:
    login = login_of(agent, {"HOME": "/nowhere", variable: str(tmp_path)})
    assert login == Login(tmp_path / below, PLACES[agent])
    assert login_of("llm", {}) is None


def refreshed(copy: Path, text: str | None = None) -> None:
    copy.write_text(json.dumps({"tokens": {"access": REFRESHED}}) if text is None else text)


def test_what_the_agent_refreshed_goes_back(tmp_path: Path, redactor: Redactor) -> None:
    login = logged_in(tmp_path / "own")
    with login.lent(tmp_path / "home"):
        refreshed(tmp_path / "home" / login.place)
    assert json.loads(login.file.read_text())["tokens"]["access"] == REFRESHED
    assert login.file.stat().st_mode & 0o077 == 0
    assert [path.name for path in login.file.parent.iterdir()] == [login.file.name]
    assert redactor(f"a {TOKEN} b {REFRESHED} c") == "a [redacted] b [redacted] c"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"other": 1}', '{"tokens": "cut'])
def test_what_is_no_login_any_more_does_not_go_back(tmp_path: Path, text: str) -> None:
    login = logged_in(tmp_path / "own")
    before = login.file.read_bytes()
    with login.lent(tmp_path / "home"):
        refreshed(tmp_path / "home" / login.place, text)
    assert login.file.read_bytes() == before


def test_no_other_file_goes_back_through_a_link(tmp_path: Path) -> None:
    login = logged_in(tmp_path / "own")
    before = login.file.read_bytes()
    (tmp_path / "other").write_text('{"tokens": "of somebody else"}')
    with login.lent(tmp_path / "home"):
        copy = tmp_path / "home" / login.place
        copy.unlink()
        copy.symlink_to(tmp_path / "other")
    assert login.file.read_bytes() == before


def test_a_login_that_somebody_else_renewed_meanwhile_stays(tmp_path: Path) -> None:
    login = logged_in(tmp_path / "own")
    with login.lent(tmp_path / "home"):
        refreshed(tmp_path / "home" / login.place)
        login.file.write_text('{"tokens": "newer"}')
    assert login.file.read_text() == '{"tokens": "newer"}'


def test_a_login_that_is_gone_is_an_error_of_its_session(tmp_path: Path) -> None:
    with pytest.raises(ReviewFailed, match="cannot be read"), Login(tmp_path / "x", "x").lent(tmp_path):
        pass


def test_without_a_login_and_without_a_key_nothing_begins(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    for agent in map(AGENTS.__getitem__, PLACES):
        with pytest.raises(SettingsError, match=f"--reviewbench-agent-home: {agent.name} has no login here"):
            inherited(agent, environ, "linux")
        key = next(name for name in agent.variables if name.endswith("_KEY"))
        assert inherited(agent, {**environ, key: "k"}, "linux") == (agent, None)
    logged_in(tmp_path, text="not JSON")
    with pytest.raises(SettingsError, match=r"credentials\.json cannot be read as a login"):
        Holder(AGENTS["claude"], Children(), environ, home="inherit")


def test_on_macos_the_keychain_needs_the_users_own_home(tmp_path: Path) -> None:
    agent, login = inherited(AGENTS["claude"], {"HOME": "/Users/me"}, "darwin")
    assert (isinstance(agent, AtHome), login) == (True, None)
    assert agent.launch(Probe("/p/claude", "1"), asked(tmp_path), {}).environment["HOME"] == "/Users/me"


def test_words_that_open_nothing_are_not_taken_for_secrets(redactor: Redactor) -> None:
    login: Any = {
        "scopes": ["user:sessions:claude_code"], "last_refresh": "2026-01-02T03:04:05.678Z", "type": "oauth",
        "token_type": "Bearer", "issuer": "https://auth.example.com/login", "access": TOKEN, "expires": 1,
    }  # fmt: skip
    assert learn(json.dumps(login).encode())
    text = "user:sessions:claude_code 2026-01-02T03:04:05.678Z https://auth.example.com/login"
    assert redactor(text) == text
    assert redactor(json.dumps({"x": f"a {TOKEN}"})) == '{"x": "a [redacted]"}'


def test_codex_shell_may_not_read_a_login_that_is_lent(tmp_path: Path) -> None:
    own = logged_in(tmp_path / "own", "codex")
    ask = asked(tmp_path)
    environ = {"HOME": str(tmp_path / "own")}
    probe = Probe("/p/codex", "0.171.0")
    assert "--sandbox" in Codex().launch(probe, ask, environ).argv
    with own.lent(ask.home):
        launch = Codex().launch(probe, ask, environ)
    copy = str(ask.home / own.place)
    for argv in (launch.argv, launch.trial or ()):
        given = tomllib.loads("\n".join(word for flag, word in itertools.pairwise(argv) if flag == "--config"))
        profile = given["permissions"][given["default_permissions"]]
        assert profile["extends"] == ":read-only"
        assert profile["filesystem"] == {str(own.file): "deny", copy: "deny"}
        assert not {"--sandbox", "sandbox_mode"} & {*argv, *given}
    assert list(launch.trial or ())[-2:] == sorted([str(own.file), copy])
