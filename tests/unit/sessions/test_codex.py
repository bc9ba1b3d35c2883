"""Codex: how it is started, and what its event stream tells."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.errors import ReviewFailed
from pytest_reviewbench.model import Usage
from pytest_reviewbench.sessions.codex import Codex
from pytest_reviewbench.sessions.protocol import Ended, Launch, Probe, Reading
from tests.unit.sessions.making import Json, asked, command, item, lines, turn, turn_failed

FLAGS = frozenset({"--ephemeral", "--ignore-user-config", "--ignore-rules"})
PROBE = Probe("/p/codex", "0.171.0", FLAGS)
SAID = item("i9", "agent_message", text="[]")


def read(tmp_path: Path, *events: Json, code: int = 0, **more: Any) -> Reading:
    return Codex().read(Ended(code, lines(*events), "last words"), asked(tmp_path, **more), {})


def settings(launch: Launch) -> Json:
    """What the --config arguments say together, as codex reads them."""
    given = [word for flag, word in zip(launch.argv, launch.argv[1:], strict=False) if flag == "--config"]
    return tomllib.loads("\n".join(given))


def test_its_shell_gets_neither_a_network_nor_a_key(tmp_path: Path) -> None:
    launch = Codex().launch(PROBE, asked(tmp_path, model="m"), {"OPENAI_API_KEY": "k-1", "PATH": "/usr/bin"})
    argv = list(launch.argv)
    assert argv[:5] == ["/p/codex", "exec", "--json", "--sandbox", "read-only"]
    assert set(argv) >= FLAGS
    assert argv[argv.index("--model") + 1] == "m"
    made = settings(launch)
    policy = made["shell_environment_policy"]
    assert policy["inherit"] == "none"
    assert policy["set"].keys() == {"PATH", "HOME"}
    assert (made["approval_policy"], made["web_search"], made["project_doc_max_bytes"]) == ("never", "disabled", 0)
    assert not made["allow_login_shell"]
    assert set(made["features"].values()) == {False}
    assert launch.view.network
    assert launch.view.nested


def test_its_home_is_there_and_not_below_its_temporary_folder(tmp_path: Path) -> None:
    given = Codex().launch(PROBE, asked(tmp_path), {}).environment
    home, temporary = Path(given["CODEX_HOME"]), Path(given["TMPDIR"])
    assert home.is_dir()
    assert temporary.is_dir()
    assert not home.is_relative_to(temporary)


@pytest.mark.parametrize(
    ("environ", "key", "url"),
    [
        ({"OPENAI_API_KEY": "k-1", "CODEX_API_KEY": "k-2"}, "CODEX_API_KEY", "https://api.openai.com/v1"),
        ({"OPENAI_API_KEY": "k-1"}, "OPENAI_API_KEY", "https://api.openai.com/v1"),
        ({"OPENAI_API_KEY": "k-1", "OPENAI_BASE_URL": 'http://h/"v1'}, "OPENAI_API_KEY", 'http://h/"v1'),
        ({"OPENAI_BASE_URL": "http://h/v1"}, None, "http://h/v1"),
    ],
)
def test_its_key_goes_by_the_name_of_its_variable(
    tmp_path: Path, environ: dict[str, str], key: str | None, url: str
) -> None:
    launch = Codex().launch(PROBE, asked(tmp_path), environ)
    made = settings(launch)
    provider = made["model_providers"][made["model_provider"]]
    assert (provider.get("env_key"), provider["base_url"], provider["wire_api"]) == (key, url, "responses")
    assert (provider["request_max_retries"], provider["stream_max_retries"]) == (2, 1)
    assert not [word for word in launch.argv if "k-1" in word or "k-2" in word]
    assert {name: launch.environment[name] for name in environ} == environ


def test_without_a_key_it_asks_whom_it_is_logged_in_with(tmp_path: Path) -> None:
    assert "model_provider" not in settings(Codex().launch(PROBE, asked(tmp_path), {}))


@pytest.mark.parametrize("url", ["http://u:hunter22@h/v1", "http://h/v1?key=hunter22"])
def test_a_secret_in_the_base_url_would_stand_in_argv(tmp_path: Path, url: str) -> None:
    with pytest.raises(ReviewFailed, match="OPENAI_BASE_URL holds a password") as error:
        Codex().launch(PROBE, asked(tmp_path), {"OPENAI_BASE_URL": url})
    assert "hunter22" not in str(error.value)


def test_a_session_that_ended_well(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        {"type": "thread.started"},
        item("i0", "error", message="Model metadata not found."),
        item("i1", "agent_message", text="Looking."),
        item("i2", "command_execution", begun=True, aggregated_output="", exit_code=None),
        command("i2", "--- a"),
        item("i3", "mcp_tool_call", tool="t", server="s"),
        item("i4", "reasoning", text="hm"),
        {"type": "error", "message": "Reconnecting... 1/1"},
        SAID,
        turn(),
    )
    assert found.failure is None
    told = found.told
    assert (told.text, [call.name for call in told.calls]) == ("[]", ["command_execution", "mcp_tool_call t"])
    assert (told.calls[0].command, told.calls[0].output, told.calls[0].failed) == ("cat x", "--- a", False)
    assert told.usage == Usage(input_tokens=60, output_tokens=7, cache_read_tokens=30, cache_write_tokens=10)
    assert (told.cost_usd, told.cost_source, told.model) == (None, "none", None)


@pytest.mark.parametrize(
    ("message", "kind", "again"),
    [
        ("unexpected status 401 Unauthorized: no, url: http://h", "auth", False),
        ("unexpected status 403 Forbidden: no", "auth", False),
        ("exceeded retry limit, last status: 429 Too Many Requests", "rate_limit", True),
        ("unexpected status 529 <unknown status code>: busy", "overloaded", True),
        ("unexpected status 503 Service Unavailable: busy", "overloaded", True),
        ("We are currently experiencing high demand, which may cause temporary errors.", "api", True),
        ('{"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}', "api", False),
        ("stream disconnected before completion: error sending request", "api", True),
    ],
)
def test_how_a_session_failed(tmp_path: Path, message: str, kind: str, again: bool) -> None:
    failure = read(tmp_path, {"type": "error", "message": message}, turn_failed(message), code=1).failure
    assert failure is not None
    assert (failure.kind, failure.again) == (kind, again), failure
    early = read(tmp_path, {"type": "error", "message": message}, code=1).failure
    assert early is not None
    assert early.kind == kind


@pytest.mark.parametrize(
    ("events", "code", "kind"),
    [
        ([SAID], 0, "protocol"),
        ([], 0, "protocol"),
        ([SAID, turn(), turn()], 0, "protocol"),
        ([SAID, turn(), turn_failed("x")], 1, "protocol"),
        ([SAID, turn()], 1, "exit"),
        ([], 2, "exit"),
    ],
)
def test_a_stream_without_exactly_one_end_is_an_error(
    tmp_path: Path, events: list[Json], code: int, kind: str
) -> None:
    failure = read(tmp_path, *events, code=code).failure
    assert failure is not None
    assert failure.kind == kind
    raw = lines(SAID, turn())
    for cut in (raw[:-9], raw + b'{"type"'):
        failure = Codex().read(Ended(0, cut), asked(tmp_path), {}).failure
        assert failure is not None
        assert failure.kind == "protocol"


def test_its_shell_is_tried_where_it_will_run_before_anything_is_spent(tmp_path: Path) -> None:
    trial = Codex().launch(PROBE, asked(tmp_path), {}).trial
    assert trial is not None
    assert trial[:2] == ["/p/codex", "sandbox"]
    assert trial[-3:] == ["test", "-r", str(tmp_path)]


def test_a_skill_counts_as_loaded_when_its_text_was_printed(tmp_path: Path) -> None:
    skill = tmp_path / "deep"
    skill.mkdir()
    (skill / "SKILL.md").write_text("---\nname: deep\ndescription: looks\n---\n# Deep\n\nFollow the value.\n")
    for output, loaded in (
        ("---\nname: deep\n---\n# Deep\n\nFollow the\n  value.\n", ("deep",)),
        ("# Deep", ()),
        (".codex/skills/deep/SKILL.md", ()),
        ("name: deep description: looks", ()),
    ):
        assert read(tmp_path, command("i1", output), SAID, turn(), skill=skill).told.skills_loaded == loaded, output
    mentioned = item("i1", "agent_message", text="# Deep Follow the value.")
    assert read(tmp_path, mentioned, turn(), skill=skill).told.skills_loaded == ()
