"""Claude Code: `claude -p` with read-only tools, nobody's settings, and its event stream."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pytest_reviewbench.model import Usage
from pytest_reviewbench.sessions.arguments import asked_of_web, named_paths
from pytest_reviewbench.sessions.event_stream import Event, EventStream, read_stream
from pytest_reviewbench.sessions.protocol import Ask, Call, Ended, Launch, Probe, Reading, SessionFailed, Told
from pytest_reviewbench.sessions.refusals import refused
from pytest_reviewbench.sessions.surroundings import copy_of_skill, network_view, passed_on, temporary_folder

TOOLS = ("Read", "Grep", "Glob")
KNOWN = frozenset((
    *TOOLS, "Agent", "Bash", "BashOutput", "Edit", "KillShell", "LS", "MultiEdit", "NotebookEdit", "NotebookRead",
    "Skill", "StructuredOutput", "Task", "TodoWrite", "WebFetch", "WebSearch", "Write",
))  # fmt: skip
"""Its own tools whose arguments are understood; in those of others everything that can be a path is one."""
SERVED = ("server_tool_use", "mcp_tool_use")
"""Calls that the service itself carries out: its tools look into the network, or are another program's."""
PLUGIN = "local"
"""The plugin in which a skill is given; the model sees the name."""

REQUEST_SECONDS = 600.0
RETRIES = 2
"""More than that, and a refused key takes minutes (its own default: over 100 s for a 401)."""

SYNTHETIC = "<synthetic>"
"""The model of messages that the program itself puts into the stream: errors."""

NOT_STARTED = "<tool_use_error>"
"""How the result of a call begins for which there was no tool."""

ENDINGS = {"error_max_turns": "max_turns", "error_max_budget_usd": "budget"}


class Claude:
    """See docs/agents.md for what it gets and what was measured."""

    name = "claude"
    help = ("--help",)
    variables = (
        "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_BASE_URL",
        "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL",
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS", "MAX_THINKING_TOKENS",
    )  # fmt: skip

    def launch(self, probe: Probe, ask: Ask, environ: Mapping[str, str]) -> Launch:
        argv = [probe.program, "-p", "--output-format", "stream-json", "--verbose"]
        argv += ["--strict-mcp-config", "--no-session-persistence", "--permission-mode", "dontAsk"]
        # Never --allowedTools: it lets Read, Grep and links leave the folder (docs/agents.md).
        argv += ["--restricted"] if "--restricted" in probe.flags else ["--setting-sources", ""]
        argv += ["--tools", ",".join((*TOOLS, *(["Skill"] if ask.skill else [])))]
        if "--include-partial-messages" in probe.flags:
            argv.append("--include-partial-messages")
        if ask.model is not None:
            argv += ["--model", ask.model]
        if ask.max_turns is not None:
            argv += ["--max-turns", str(ask.max_turns)]  # no --help names it, all versions have it
        if ask.max_cost_usd is not None and "--max-budget-usd" in probe.flags:
            argv += ["--max-budget-usd", str(ask.max_cost_usd)]
        if ask.skill is not None:
            plugin = _plugin(ask.skill, ask.home / "plugin")
            argv += ["--plugin-dir", str(plugin), "--add-dir", str(plugin)]
        given = passed_on(self.variables, environ)
        temporary = str(temporary_folder(ask))
        environment = given | {
            "TMPDIR": temporary,
            "CLAUDE_CODE_TMPDIR": temporary,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_DISABLE_BUNDLED_SKILLS": "1",
            "CLAUDE_CODE_MAX_RETRIES": str(RETRIES),
            "API_TIMEOUT_MS": str(int(min(REQUEST_SECONDS, ask.timeout) * 1000)),
            "DISABLE_AUTOUPDATER": "1",
        }
        return Launch(argv, environment, network_view(ask, given))

    def read(self, ended: Ended, ask: Ask, environ: Mapping[str, str]) -> Reading:
        stream = read_stream(ended.stdout)
        results = stream.of("result")
        result = results[-1] if len(results) == 1 else Event()
        return Reading(_told(stream, result, environ), _failure(ended, stream, results))


def _plugin(skill: Path, plugin: Path) -> Path:
    """A plugin folder that holds `skill`."""
    (plugin / ".claude-plugin").mkdir(parents=True, exist_ok=True)
    about = {"name": PLUGIN, "version": "1.0.0", "description": "Skills of this workspace."}
    (plugin / ".claude-plugin" / "plugin.json").write_text(json.dumps(about))
    copy_of_skill(skill, plugin / "skills")
    return plugin


def _failure(ended: Ended, stream: EventStream, results: list[Event]) -> SessionFailed | None:
    if not results and ended.exit_code != 0:
        return SessionFailed("exit", f"claude ended with exit code {ended.exit_code}: {ended.complaint}")
    if stream.broken is not None:
        return SessionFailed("protocol", f"claude: {stream.broken}")
    if len(results) != 1:
        return SessionFailed("protocol", f"claude: {len(results) or 'no'} final results in its event stream")
    result = results[0]
    if ended.exit_code == 0 and result.get("is_error") is not True:
        if result.text("result") is None:
            return SessionFailed("protocol", "claude: its final result holds no answer")
        return None
    subtype = result.text("subtype") or ""
    if subtype in ENDINGS:
        said = "; ".join(result.words("errors")) or subtype
        return SessionFailed(ENDINGS[subtype], f"claude: {said}")
    said = result.text("result") or "; ".join(result.words("errors")) or ended.complaint or subtype
    if result.get("is_error") is not True:
        return SessionFailed("exit", f"claude ended with exit code {ended.exit_code}: {ended.complaint or said}")
    return refused("claude", result.count("api_error_status"), said, _retry_after(stream))


def _retry_after(stream: EventStream) -> float | None:
    """The seconds of its own last wait, which are at least those that the service asked for."""
    waits = [event.amount("retry_delay_ms") for event in stream.of("system") if event.get("subtype") == "api_retry"]
    return waits[-1] / 1000 if waits and waits[-1] is not None else None


def _told(stream: EventStream, result: Event, environ: Mapping[str, str]) -> Told:
    start = next((event for event in stream.of("system") if event.get("subtype") == "init"), Event())
    messages = [event for event in stream.of("assistant") if event.part("message").get("model") != SYNTHETIC]
    spoken = [event.part("message") for event in messages if event.get("parent_tool_use_id") is None]
    tools = start.words("tools")
    calls = list(_calls(stream))
    cost = result.amount("total_cost_usd") if _asks_anthropic(start, environ) else None
    return Told(
        text=(result.text("result") if result.get("is_error") is not True else None) or _last_words(stream),
        model=next(filter(None, (message.text("model") for message in spoken)), start.text("model")),
        usage=_usage(stream, result, len({message.text("id") for message in spoken})),
        cost_usd=cost,
        cost_source="none" if cost is None else "reported",
        tools=tools,
        skills=tuple(map(_own_name, start.words("skills"))) if "Skill" in tools else (),
        calls=tuple(_in_common_words(stream, calls)),
        skills_loaded=tuple(_skills_loaded(stream, calls)),
    )


def _asks_anthropic(start: Event, environ: Mapping[str, str]) -> bool:
    """Whether the list prices that the program multiplies with are those of whoever answers."""
    served = start.get("served_by_anthropic")  # not in older versions
    return served is not False and not environ.get("ANTHROPIC_BASE_URL")


def _usage(stream: EventStream, result: Event, turns: int) -> Usage | None:
    """Tokens of the whole session with its sub-agents: what the result says, else each message once."""
    models = [result.part("modelUsage").part(name) for name in result.part("modelUsage")]
    names = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
    if not models:
        models = list(_messages(stream).values())
        names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    if not models and result.get("usage"):
        models = [result.part("usage")]  # of a session that was refused: all 0
    if not models:
        return None
    fresh, said, read, written = (_sum(model.count(name) for model in models) for name in names)
    turns = result.count("num_turns") or turns
    return Usage(
        input_tokens=fresh, output_tokens=said, cache_read_tokens=read, cache_write_tokens=written, turns=turns
    )


def _messages(stream: EventStream) -> dict[str, Event]:
    """The usage of each message by its id, the last that was said of it.

    The one of an `assistant` event is that of the message's beginning: how much was said stands in the
    `message_delta` of partial messages, so it is unknown without.
    """
    found: dict[str, Event] = {}
    open_message: dict[str | None, str] = {}
    for event in stream.events:
        parent, inner = event.text("parent_tool_use_id"), event.part("event")
        if event.get("type") == "assistant":
            message = event.part("message")
            if (name := message.text("id")) and message.get("model") != SYNTHETIC:
                found.setdefault(name, Event(message.part("usage") | {"output_tokens": None}))
        elif inner.get("type") == "message_start" and (name := inner.part("message").text("id")):
            open_message[parent] = name
            found[name] = Event(inner.part("message").part("usage") | {"output_tokens": None})
        elif inner.get("type") == "message_delta" and parent in open_message:
            name = open_message[parent]
            told = {key: value for key, value in inner.part("usage").items() if value is not None}
            found[name] = Event(found[name] | told)
    return found


def _sum(counts: Iterable[int | None]) -> int | None:
    """None when one of them is not known: a sum of the others would be taken for the whole."""
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total


def _calls(stream: EventStream, *kinds: str) -> Iterator[tuple[str, str, Event]]:
    """Each call of a tool once (`kinds`: of other types than its own tools'): name, id, arguments."""
    seen = set()
    for event in stream.of("assistant"):
        for block in event.part("message").parts("content"):
            name, key = block.text("name"), block.text("id")
            if block.get("type") in (kinds or ("tool_use",)) and name and key and key not in seen:
                seen.add(key)
                yield name, key, block.part("input")


def _in_common_words(stream: EventStream, calls: Iterable[tuple[str, str, Event]]) -> Iterator[Call]:
    results = _results(stream)
    for name, key, arguments in calls:
        result = results.get(key, Event(is_error=True))
        yield Call(
            name=name,
            paths=named_paths(name, arguments, KNOWN),
            command=arguments.text("command") if name == "Bash" else None,
            web=asked_of_web(name, arguments, KNOWN),
            failed=result.get("is_error") is True,
            output=_printed(result),
        )
    refused = {
        block.text("tool_use_id")
        for event in stream.of("assistant", "user")
        for block in event.part("message").parts("content")
        if block.get("is_error") is True or (block.part("content").text("type") or "").endswith("_error")
    }
    for name, key, arguments in _calls(stream, *SERVED):  # what came back is not always told
        web = asked_of_web(name, arguments, ())
        yield Call(name, named_paths(name, arguments, ()), web=web or "", failed=key in refused)


def _results(stream: EventStream) -> dict[str, Event]:
    """What came of tool calls, by their ids."""
    return {
        block.text("tool_use_id") or "": block
        for event in stream.of("user")
        for block in event.part("message").parts("content")
        if block.get("type") == "tool_result"
    }


def _printed(result: Event) -> str | None:
    """What a tool printed; nothing where it was not started, None where that is not all text."""
    if (result.text("content") or "").startswith(NOT_STARTED):
        return ""
    parts = [block.text("text") for block in result.parts("content")]
    if any(part is None for part in parts):
        return None
    return result.text("content") or "\n".join(part or "" for part in parts)


def _skills_loaded(stream: EventStream, calls: Iterable[tuple[str, str, Event]]) -> Iterator[str]:
    """The skills that were asked for by a tool call which got a result that is no error."""
    answered = {key for key, block in _results(stream).items() if block.get("is_error") is not True}
    loaded = (
        _own_name(arguments.text("skill") or arguments.text("command") or "")
        for name, key, arguments in calls
        if name == "Skill" and key in answered
    )
    yield from dict.fromkeys(filter(None, loaded))


def _own_name(skill: str) -> str:
    return skill.removeprefix("/").removeprefix(f"{PLUGIN}:")


def _last_words(stream: EventStream) -> str:
    """The text of the last message, as far as it came."""
    text = ""
    for event in stream.events:
        inner = event.part("event")
        if event.get("parent_tool_use_id") is not None:
            continue
        if event.get("type") == "assistant" and event.part("message").get("model") != SYNTHETIC:
            said = [block.text("text") or "" for block in event.part("message").parts("content")]
            text = "".join(said) or text
        elif inner.get("type") == "message_start":
            text = ""
        elif inner.get("type") == "content_block_delta":
            text += inner.part("delta").text("text") or ""
    return text
