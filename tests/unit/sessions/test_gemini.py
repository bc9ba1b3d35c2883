"""Gemini CLI: how it is started, and what its event stream tells."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.errors import ReviewFailed
from pytest_reviewbench.model import Usage
from pytest_reviewbench.sessions.gemini import LOGIN, Gemini
from pytest_reviewbench.sessions.protocol import Ask, Call, Ended, Probe, Reading
from tests.unit.sessions.making import (
    Json,
    asked,
    gemini_call,
    gemini_result,
    gemini_said,
    gemini_start,
    gemini_tokens,
    lines,
)

PROBE = Probe("/p/gemini", "0.61.0")
READING = ["read_file", "list_directory", "grep_search", "glob"]


def read(tmp_path: Path, *events: Json | list[Json], code: int = 0) -> Reading:
    flat = [one for event in events for one in (event if isinstance(event, list) else [event])]
    return Gemini().read(Ended(code, lines(*flat), "last words"), asked(tmp_path), {})


def settings(ask: Ask) -> Any:
    return json.loads((ask.home / ".gemini" / "settings.json").read_text())


def rules(ask: Ask) -> list[Json]:
    made: list[Json] = tomllib.loads((ask.home / ".gemini" / "policy.toml").read_text())["rule"]
    return made


def decided(ask: Ask, tool: str, arguments: str = "{}") -> str:
    """What the rules say of a call, as gemini reads them: the highest priority that fits."""
    fitting = [
        rule
        for rule in rules(ask)
        if rule["toolName"] in ("*", tool) or tool in rule["toolName"]
        if re.search(rule.get("argsPattern", ""), arguments)
    ]
    return str(max(fitting, key=lambda rule: rule["priority"])["decision"])


def test_it_may_only_read_and_has_nobodys_settings(tmp_path: Path) -> None:
    ask = asked(tmp_path, model="m", max_turns=3)
    launch = Gemini().launch(PROBE, ask, {"GEMINI_API_KEY": "k-1"})
    argv = list(launch.argv)
    assert argv[:4] == ["/p/gemini", "--output-format", "stream-json", "--skip-trust"]
    assert argv[argv.index("--model") + 1] == "m"
    assert argv[argv.index("--approval-mode") + 1] == "default"
    assert argv[argv.index("--policy") + 1] == str(ask.home / ".gemini" / "policy.toml")
    made = settings(ask)
    assert made["tools"]["core"] == READING
    assert not made["skills"]["enabled"]
    assert not made["hooksConfig"]["enabled"]
    assert not made["privacy"]["usageStatisticsEnabled"]
    assert not made["admin"]["mcp"]["enabled"]
    assert made["model"]["maxSessionTurns"] == 3
    assert made["security"]["auth"]["selectedType"] == "gemini-api-key"
    for tool in READING:
        assert decided(ask, tool) == "allow"
    for tool in ("run_shell_command", "write_file", "replace", "google_web_search", "web_fetch", "activate_skill"):
        assert decided(ask, tool) == "deny"
    for pattern in ("../*", "/etc/*", "a/../../*"):
        assert decided(ask, "glob", json.dumps({"pattern": pattern}, separators=(",", ":"))) == "deny"
    assert decided(ask, "glob", '{"pattern":"**/*.py"}') == "allow"


def test_it_gets_its_documented_variables_and_no_others(tmp_path: Path) -> None:
    environ = {
        "GEMINI_API_KEY": "k-1", "GOOGLE_GEMINI_BASE_URL": "http://h.example", "HTTPS_PROXY": "http://p.example",
        "OPENAI_API_KEY": "k-2", "GEMINI_SYSTEM_MD": "1", "PYTEST_CURRENT_TEST": "py-0001",
    }  # fmt: skip
    launch = Gemini().launch(PROBE, asked(tmp_path), environ)
    given = launch.environment
    assert {name for name in environ if name in given} == {
        "GEMINI_API_KEY",
        "GOOGLE_GEMINI_BASE_URL",
        "HTTPS_PROXY",
    }
    assert not [word for word in launch.argv if "k-1" in word]
    assert launch.view.network


def test_a_skill_is_put_where_it_finds_its_users(tmp_path: Path) -> None:
    skill = tmp_path / "deep"
    skill.mkdir()
    (skill / "SKILL.md").write_text("---\nname: deep\n---\n")
    ask = asked(tmp_path, skill=skill)
    Gemini().launch(PROBE, ask, {})
    assert (ask.home / ".gemini" / "skills" / "deep" / "SKILL.md").is_file()
    assert settings(ask)["skills"] == {"disabled": ["antigravity-support", "skill-creator"], "enabled": True}
    assert decided(ask, "activate_skill") == "allow"


def test_a_login_counts_where_there_is_no_key(tmp_path: Path) -> None:
    ask = asked(tmp_path)
    (ask.home / ".gemini").mkdir()
    (ask.home / LOGIN).write_text("{}")
    for environ, method in (({}, "oauth-personal"), ({"GEMINI_API_KEY": "k-1"}, "gemini-api-key")):
        Gemini().launch(PROBE, ask, environ)
        assert settings(ask)["security"]["auth"]["selectedType"] == method


def test_variables_that_somebody_left_above_its_folder_are_not_read(tmp_path: Path) -> None:
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini" / ".env").write_text("GOOGLE_GEMINI_BASE_URL=http://thief.example")
    inner = tmp_path / "a"
    inner.mkdir()
    with pytest.raises(ReviewFailed, match=r"gemini would read .*\.env; move it away"):
        Gemini().launch(PROBE, asked(inner), {})


def test_a_session_that_ended_well(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        gemini_start(),
        {"type": "message", "role": "user", "content": "Review it."},
        gemini_said("I look."),
        gemini_call("t1", "read_file", file_path="change.patch"),
        gemini_said("And again."),
        gemini_call("t2", "read_file", status="error"),
        gemini_said("[1]"),
        gemini_result(models={"small": gemini_tokens(10, 0, 1), "m-2": gemini_tokens()}),
    )
    assert found.failure is None
    told = found.told
    assert (told.text, told.model) == ("[1]", "m-2")
    assert told.calls == (
        Call("read_file", paths=("change.patch",)),
        Call("read_file", failed=True, output=""),
    )
    assert told.usage == Usage(input_tokens=80, output_tokens=8, cache_read_tokens=30)
    assert (told.cost_usd, told.cost_source, told.skills_loaded) == (None, "none", ())


def test_a_skill_counts_as_loaded_when_its_call_had_a_result(tmp_path: Path) -> None:
    told = read(
        tmp_path,
        gemini_call("t1", "activate_skill", name="deep"),
        gemini_call("t2", "activate_skill", status="error", name="unknown"),
        gemini_call("t3", "activate_skill", status=None, name="cut"),
        gemini_call("t4", "read_file", name="other"),
        gemini_said("I activated mentioned"),
        gemini_result(),
    ).told
    assert told.skills_loaded == ("deep",)


@pytest.mark.parametrize(
    ("severity", "message", "kind"),
    [
        ("error", "Invalid stream: The model returned an empty response.", "api"),
        ("error", "Maximum session turns exceeded", "max_turns"),
        ("warning", "Loop detected, stopping execution", "api"),
        ("warning", "trying again", None),
    ],
)
def test_a_success_after_which_nothing_more_was_said_is_none(
    tmp_path: Path, severity: str, message: str, kind: str | None
) -> None:
    error = {"type": "error", "severity": severity, "message": message}
    failure = read(tmp_path, gemini_said("So far"), error, gemini_result()).failure
    assert (failure and failure.kind) == kind
