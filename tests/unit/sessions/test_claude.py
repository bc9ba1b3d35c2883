"""Claude Code: how it is started, and what its event stream tells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.errors import ReviewFailed
from pytest_reviewbench.model import Usage
from pytest_reviewbench.sessions.claude import Claude
from pytest_reviewbench.sessions.protocol import Call, Ended, Probe, Reading
from tests.unit.sessions.making import Json, answered, asked, call, init, lines, result, spoken, words

NEW = Probe("/p/claude", "2.1.332", frozenset({"--restricted", "--max-budget-usd", "--include-partial-messages"}))
OLD = Probe("/p/claude", "2.1.197", frozenset({"--setting-sources"}))


def read(tmp_path: Path, *events: Json, code: int = 0, environ: dict[str, str] | None = None) -> Reading:
    return Claude().read(Ended(code, lines(*events), "last words"), asked(tmp_path), environ or {})


def options(argv: Any) -> dict[str, str]:
    return dict(zip(argv, [*argv[1:], ""], strict=True))


def test_it_may_only_read_and_has_nobodys_settings(tmp_path: Path) -> None:
    argv = Claude().launch(NEW, asked(tmp_path, model="m", max_turns=3, max_cost_usd=0.25), {}).argv
    assert list(argv[:2]) == ["/p/claude", "-p"]
    given = options(argv)
    assert given["--tools"] == "Read,Grep,Glob"
    assert {"--restricted", "--strict-mcp-config", "--no-session-persistence", "--verbose"} <= given.keys()
    assert (given["--permission-mode"], given["--output-format"]) == ("dontAsk", "stream-json")
    assert (given["--model"], given["--max-turns"], given["--max-budget-usd"]) == ("m", "3", "0.25")
    assert "--allowedTools" not in given
    assert not {"--plugin-dir", "--add-dir"} & given.keys()


def test_a_version_without_restricted_loads_no_settings_all_the_same(tmp_path: Path) -> None:
    given = options(Claude().launch(OLD, asked(tmp_path, max_cost_usd=1), {}).argv)
    assert given["--setting-sources"] == ""
    assert not {"--restricted", "--max-budget-usd", "--include-partial-messages"} & given.keys()


def test_a_skill_comes_as_a_plugin_whose_files_can_be_read(tmp_path: Path) -> None:
    skill = tmp_path / "deep"
    (skill / "references").mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: deep\n---\n")
    (tmp_path / "elsewhere.md").write_text("more")
    (skill / "references" / "more.md").symlink_to(tmp_path / "elsewhere.md")
    ask = asked(tmp_path, skill=skill)
    given = options(Claude().launch(NEW, ask, {}).argv)
    plugin = Path(given["--plugin-dir"])
    assert plugin.is_relative_to(ask.home)
    assert given["--add-dir"] == str(plugin)
    assert given["--tools"] == "Read,Grep,Glob,Skill"
    assert json.loads((plugin / ".claude-plugin" / "plugin.json").read_text())["name"] == "local"
    copied = plugin / "skills" / "deep" / "references" / "more.md"
    assert (copied.is_symlink(), copied.read_text()) == (False, "more")


def test_a_folder_that_is_no_skill_is_said_before_anything_is_spent(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("empty", "none"):
        with pytest.raises(ReviewFailed, match=f"the skill .*{name}"):
            Claude().launch(NEW, asked(tmp_path, skill=tmp_path / name), {})


def test_it_gets_its_documented_variables_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("x")
    environ = {
        "ANTHROPIC_API_KEY": "k-1", "ANTHROPIC_BASE_URL": "http://h.example", "HTTPS_PROXY": "http://p.example",
        "NODE_EXTRA_CA_CERTS": str(tmp_path / "ca.pem"), "SSL_CERT_FILE": "", "GITHUB_TOKEN": "t",
        "OPENAI_API_KEY": "k-2", "PYTEST_CURRENT_TEST": "py-0001", "CLAUDE_CODE_USE_BEDROCK": "1",
    }  # fmt: skip
    ask = asked(tmp_path)
    launch = Claude().launch(NEW, ask, environ)
    given = launch.environment
    assert {name: given[name] for name in environ if name in given} == {
        name: environ[name]
        for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "HTTPS_PROXY", "NODE_EXTRA_CA_CERTS")
    }
    assert given["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] == "1"
    assert (given["CLAUDE_CODE_MAX_RETRIES"], given["API_TIMEOUT_MS"]) == ("2", "60000")
    assert given["TMPDIR"] == given["CLAUDE_CODE_TMPDIR"] == str(ask.home / "tmp")
    assert not [word for word in launch.argv if "k-1" in word or "example" in word]
    assert launch.view.network
    assert not launch.view.nested
    assert tmp_path / "ca.pem" in launch.view.readable


def test_a_session_that_ended_well(tmp_path: Path) -> None:
    told = read(
        tmp_path,
        init(skills=["local:deep", "doctor"], tools=["Read", "Skill"]),
        spoken("m1", words("I look.")),
        spoken("m1", call("t1", "Read", file_path="change.patch")),
        answered("t1"),
        spoken("m2", call("t2", "Grep"), parent="t0", model="m-2"),
        spoken("m3", words("[1]")),
        result("[1]"),
    )
    assert told.failure is None
    assert told.told.text == "[1]"
    assert told.told.usage == Usage(
        input_tokens=20, output_tokens=9, cache_read_tokens=6, cache_write_tokens=2, turns=2
    )
    assert (told.told.cost_usd, told.told.cost_source, told.told.model) == (0.5, "reported", "m-1")
    assert (told.told.tools, told.told.skills) == (("Read", "Skill"), ("deep", "doctor"))
    assert [call.name for call in told.told.calls] == ["Read", "Grep"]
    assert told.told.skills_loaded == ()


def test_calls_tell_what_they_looked_at_and_what_came_of_it(tmp_path: Path) -> None:
    told = read(
        tmp_path,
        spoken("m1", call("t1", "Read", file_path="/x")),
        answered("t1", error=True),
        spoken("m2", call("t2", "Grep", pattern="/p", path="y", glob="*.py")),
        answered("t2"),
        spoken("m3", call("t3", "Glob", pattern="*.md", path="z"), call("t4", "Glob", pattern="/q/*")),
        spoken(
            "m4",
            call("t5", "Bash", command="ls"),
            call("t6", "WebFetch", url="http://h"),
            call("t7", "Skill", command="s"),
        ),
        answered("t5"),
        result(),
    ).told
    assert told.calls == (
        Call("Read", paths=("/x",), failed=True, output="x"),
        Call("Grep", paths=("y",), output="x"),
        Call("Glob", paths=("z/*.md",), failed=True, output=""),
        Call("Glob", paths=("/q/*",), failed=True, output=""),
        Call("Bash", command="ls", output="x"),
        Call("WebFetch", web="http://h", failed=True, output=""),
        Call("Skill", failed=True, output=""),
    )


def test_a_tool_that_was_not_there_printed_nothing(tmp_path: Path) -> None:
    refused = answered("t1", error=True)
    refused["message"]["content"][0]["content"] = "<tool_use_error>Error: No such tool available: Bash."
    told = read(tmp_path, spoken("m1", call("t1", "Bash", command="cat /x")), refused, result()).told
    assert told.calls == (Call("Bash", command="cat /x", failed=True, output=""),)


def test_tools_that_are_not_its_own_are_calls_as_well(tmp_path: Path) -> None:
    searched = {"type": "server_tool_use", "id": "t3", "name": "web_search", "input": {"query": "q"}}
    run = {"type": "server_tool_use", "id": "t4", "name": "code_execution", "input": {"code": "x"}}
    too_many = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    fetched = {"type": "server_tool_use", "id": "t5", "name": "web_fetch", "input": {"url": "http://h"}}
    told = read(
        tmp_path,
        spoken("m1", call("t1", "mcp__fs__read", p="/x"), call("t2", "New", of=[{"file": "../y"}])),
        answered("t1"),
        answered("t2"),
        spoken("m2", searched, {"type": "web_search_tool_result", "tool_use_id": "t3", "content": []}, run),
        spoken("m3", fetched, {"type": "web_fetch_tool_result", "tool_use_id": "t5", "content": too_many}),
        result(),
    ).told
    assert told.calls == (
        Call("mcp__fs__read", paths=("/x",), output="x"),
        Call("New", paths=("../y",), output="x"),
        Call("web_search", web="q"),
        Call("code_execution", web=""),
        Call("web_fetch", web="http://h", failed=True),
    )


def test_what_is_no_text_is_not_taken_for_nothing(tmp_path: Path) -> None:
    shown = answered("t1")
    shown["message"]["content"][0]["content"] = [{"type": "image", "source": {}}]
    told = read(tmp_path, spoken("m1", call("t1", "Read", file_path="/x.png")), shown, result()).told
    assert told.calls == (Call("Read", paths=("/x.png",)),)


def test_skills_are_none_where_there_is_no_tool_to_load_them(tmp_path: Path) -> None:
    assert read(tmp_path, init(skills=["doctor"]), result()).told.skills == ()


@pytest.mark.parametrize(
    ("more", "environ"),
    [
        ({"served_by_anthropic": False}, {}),
        ({}, {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}),
        ({"served_by_anthropic": True}, {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}),
    ],
)
def test_a_price_of_somebody_elses_service_is_not_believed(
    tmp_path: Path, more: Json, environ: dict[str, str]
) -> None:
    told = read(tmp_path, init(**more), result(), environ=environ).told
    assert (told.cost_usd, told.cost_source) == (None, "none")
    assert told.usage is not None


def test_a_skill_counts_as_loaded_when_its_call_was_answered(tmp_path: Path) -> None:
    events = [
        init(),
        spoken("m1", words("Skill local:mentioned loaded"), call("t1", "Skill", skill="local:deep")),
        answered("t1"),
        spoken("m2", call("t2", "Skill", skill="local:unknown"), call("t3", "Skill", skill="local:cut")),
        answered("t2", error=True),
        spoken("m3", call("t4", "Skill", skill="/local:deep")),
        answered("t4"),
    ]
    assert read(tmp_path, *events, result()).told.skills_loaded == ("deep",)
    assert read(tmp_path, init(), result()).told.skills_loaded == ()


FAILED = {"is_error": True, "modelUsage": {}, "total_cost_usd": 0}


@pytest.mark.parametrize(
    ("end", "kind", "again"),
    [
        (result("401 no", **FAILED, api_error_status=401), "auth", False),
        (result("403 no", **FAILED, api_error_status=403), "auth", False),
        (result("429 slow", **FAILED, api_error_status=429), "rate_limit", True),
        (result("529 busy", **FAILED, api_error_status=529), "overloaded", True),
        (result("503 busy", **FAILED, api_error_status=503), "overloaded", True),
        (result("500 oh", **FAILED, api_error_status=500), "api", True),
        (result("400 bad", **FAILED, api_error_status=400), "api", False),
        (result("API Error: Connection dropped (ECONNRESET).", **FAILED), "api", True),
        (result("API Error: Request timed out.", **FAILED), "api", True),
        (result("API returned an empty or malformed response", **FAILED), "api", False),
        (result(None, subtype="error_max_turns", is_error=True, errors=["too many"]), "max_turns", False),
        (result(None, subtype="error_max_budget_usd", is_error=True), "budget", False),
        (result(None, subtype="error_during_execution", is_error=True, errors=["socket hang up"]), "api", True),
        (result("[]"), "exit", False),
    ],
)
def test_how_a_session_failed(tmp_path: Path, end: Json, kind: str, again: bool) -> None:
    synthetic = spoken("x", words("API Error"), model="<synthetic>")
    found = read(tmp_path, init(), spoken("m1", words("So far.")), synthetic, end, code=1)
    assert found.failure is not None
    assert (found.failure.kind, found.failure.again) == (kind, again), found.failure
    if end["is_error"]:
        assert found.told.text == "So far."
    assert found.told.model == "m-1"


def test_the_wait_that_the_service_asked_for_is_that_of_its_last_retry(tmp_path: Path) -> None:
    waits = [{"type": "system", "subtype": "api_retry", "retry_delay_ms": ms} for ms in (500, 7500)]
    end = result("429 slow", **FAILED, api_error_status=429)
    failures = [read(tmp_path, init(), *events, end, code=1).failure for events in (waits, [])]
    assert [failure and failure.retry_after for failure in failures] == [7.5, None]


def test_a_refused_session_that_says_so_has_used_nothing(tmp_path: Path) -> None:
    used = {"input_tokens": 0, "output_tokens": 0, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
    end = result("429 slow", **FAILED, api_error_status=429, usage=used, num_turns=1)
    usage = read(tmp_path, init(), end, code=1).told.usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens) == (0, 0, 0)


def test_an_error_is_one_even_with_exit_code_0(tmp_path: Path) -> None:
    failure = read(tmp_path, init(), result("x", **FAILED, api_error_status=401)).failure
    assert failure is not None
    assert failure.kind == "auth"


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([init()], "no final results"),
        ([init(), result(), result()], "2 final results"),
        ([], "no final results"),
        ([init(), result(None)], "holds no answer"),
    ],
)
def test_a_stream_without_exactly_one_answer_is_an_error(tmp_path: Path, events: list[Json], said: str) -> None:
    failure = read(tmp_path, *events).failure
    assert failure is not None
    assert (failure.kind, failure.again) == ("protocol", False)
    assert said in str(failure)


def test_a_cut_line_is_an_error_and_the_rest_is_kept(tmp_path: Path) -> None:
    raw = lines(init(), spoken("m1", words("So far.")), result())
    for cut in (raw[:-9], raw + b'{"type"', raw.replace(b'"assistant"', b'"assist', 1)):
        found = Claude().read(Ended(0, cut), asked(tmp_path), {})
        assert found.failure is not None
        assert found.failure.kind == "protocol"
        assert found.told.tools == ("Glob", "Grep", "Read")


def test_a_program_that_never_began_is_told_by_its_last_words(tmp_path: Path) -> None:
    failure = read(tmp_path, code=1).failure
    assert failure is not None
    assert (failure.kind, str(failure)) == ("exit", "claude ended with exit code 1: last words")


def test_what_was_streamed_before_a_hang_is_kept(tmp_path: Path) -> None:
    def event(**inner: Any) -> Json:
        return {"type": "stream_event", "event": inner, "parent_tool_use_id": None}

    begun = {
        "id": "m2",
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0},
    }
    done = [
        event(type="message_start", message={"id": "m1", "usage": {"input_tokens": 10, "output_tokens": 1}}),
        spoken("m1", call("t1", "Read")),
        event(type="message_delta", usage={"output_tokens": 40, "input_tokens": None}),
    ]
    told = read(tmp_path, init(), *done).told
    assert told.usage == Usage(input_tokens=10, output_tokens=40, turns=1)
    cut = [
        event(type="message_start", message=begun),
        event(type="content_block_delta", delta={"type": "text_delta", "text": "I have "}),
        event(type="content_block_delta", delta={"type": "text_delta", "text": "found"}),
    ]
    told = read(tmp_path, init(), *done, *cut).told
    assert (told.text, told.cost_usd) == ("I have found", None)
    assert [call.name for call in told.calls] == ["Read"]
    assert told.usage is not None
    assert (told.usage.input_tokens, told.usage.output_tokens) == (15, None)  # nobody said how much the last one is


def test_without_partial_messages_nobody_knows_how_much_was_said(tmp_path: Path) -> None:
    told = read(tmp_path, init(), spoken("m1"), spoken("m1"), spoken("m2", parent="t1", tokens=7)).told
    assert told.usage == Usage(input_tokens=17, cache_read_tokens=6, cache_write_tokens=2, turns=1)
