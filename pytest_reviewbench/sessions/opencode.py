"""OpenCode: `opencode run --format json` with reading tools alone, under a configuration of ours."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_reviewbench.contain.environment import search_path
from pytest_reviewbench.contain.program_files import program_files
from pytest_reviewbench.errors import ReviewFailed
from pytest_reviewbench.model import Usage
from pytest_reviewbench.sessions.arguments import asked_of_web, named_paths
from pytest_reviewbench.sessions.event_stream import Event, EventStream, read_stream
from pytest_reviewbench.sessions.protocol import Ask, Call, Ended, Launch, Probe, Reading, SessionFailed, Told
from pytest_reviewbench.sessions.refusals import refused
from pytest_reviewbench.sessions.surroundings import (
    copy_of_skill,
    network_view,
    passed_on,
    skill_name,
    temporary_folder,
)

TOOLS = ("read", "grep", "glob", "list")
KNOWN = frozenset((
    *TOOLS, "bash", "edit", "patch", "skill", "task", "todoread", "todowrite", "webfetch", "websearch", "write",
))  # fmt: skip
"""Its own tools whose arguments are understood; in those of others everything that can be a path is one."""
SEARCHES_WITH = "rg"
"""It searches with this program, also for the files of a skill, and fetches one where there is none."""
COMPATIBLE = "compatible"
"""The provider `compatible/MODEL`: OPENAI_BASE_URL, asked for chat completions."""
BASE_URLS = {"anthropic": "ANTHROPIC_BASE_URL", "openai": "OPENAI_BASE_URL", COMPATIBLE: "OPENAI_BASE_URL"}
SWITCHES = (
    "AUTOCOMPACT", "AUTOUPDATE", "CLAUDE_CODE", "DEFAULT_PLUGINS", "EXTERNAL_SKILLS", "LSP_DOWNLOAD",
    "MODELS_FETCH", "PROJECT_CONFIG", "SHARE", "TERMINAL_TITLE",
)  # fmt: skip
ON = "tool-calls"
"""Why a step ended that is not the last."""


class OpenCode:
    """See docs/agents.md for what it gets and what was measured."""

    name = "opencode"
    help = ("run", "--help")
    variables = (
        "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "DEEPSEEK_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY",
        "GROQ_API_KEY", "MISTRAL_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENCODE_API_KEY",
        "OPENROUTER_API_KEY", "XAI_API_KEY",
    )  # fmt: skip

    def launch(self, probe: Probe, ask: Ask, environ: Mapping[str, str]) -> Launch:
        own = ask.home / ".config" / "opencode"
        own.mkdir(parents=True, exist_ok=True)
        _pretend_installed(own)
        if ask.skill is not None:
            copy_of_skill(ask.skill, own / "skills")
        argv = [probe.program, "run", "--format", "json", "--pure", "--title", "review"]
        if ask.model is not None:
            argv += ["--model", ask.model]
        given = passed_on(self.variables, environ)
        permission = _permission(ask, own)
        settings = {**_settings(ask, given), "permission": permission}
        environment = given | {f"OPENCODE_DISABLE_{name}": "1" for name in SWITCHES}
        environment |= {
            "OPENCODE_CONFIG_CONTENT": json.dumps(settings),
            "OPENCODE_PERMISSION": json.dumps(permission),  # after the machine's own settings
            "TMPDIR": str(temporary_folder(ask)),
        }
        view = network_view(ask, given)
        searching = [Path(path) for path in program_files(SEARCHES_WITH, search_path(environ))]
        if not searching:
            raise ReviewFailed("spawn", "opencode needs ripgrep (rg), or it would fetch one; install ripgrep")
        return Launch(argv, environment, dataclasses.replace(view, readable=(*view.readable, *searching)))

    def read(self, ended: Ended, ask: Ask, environ: Mapping[str, str]) -> Reading:
        stream = read_stream(ended.stdout)
        return Reading(_told(stream, ask, environ), _failure(ended, stream))


def _pretend_installed(own: Path) -> None:
    """It asks npm for a package of its own where it finds none installed; reviews have no use for it."""
    (own / "node_modules").mkdir(exist_ok=True)
    lock = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}
    (own / "package-lock.json").write_text(json.dumps(lock))


def _permission(ask: Ask, own: Path) -> dict[str, Any]:
    """The last rule that fits counts. What is denied altogether is not even offered; nothing is asked."""
    rules: dict[str, Any] = {"*": "deny", **dict.fromkeys(TOOLS, "allow")}
    outside = {"*": "deny"}
    if ask.skill is not None:
        outside[str(own / "skills" / "*")] = "allow"
        rules["skill"] = {"*": "deny", skill_name(ask.skill): "allow"}
    return {**rules, "external_directory": outside}


def _settings(ask: Ask, given: Mapping[str, str]) -> dict[str, Any]:
    provider, slash, model = (ask.model or "").partition("/")
    made: dict[str, Any] = {
        "autoupdate": False,
        "formatter": False,
        "lsp": False,
        "share": "disabled",
        "snapshot": False,
    }
    if not slash:
        return made
    made |= {"enabled_providers": [provider], "small_model": ask.model}
    url = given.get(BASE_URLS.get(provider, ""))
    if url is not None:
        if provider == "anthropic":
            url = url.rstrip("/").removesuffix("/v1") + "/v1"
        about: dict[str, Any] = {"options": {"baseURL": url}, "models": {model: {}}}
        if provider == COMPATIBLE:
            about |= {"npm": "@ai-sdk/openai-compatible", "name": COMPATIBLE}
            about["options"]["apiKey"] = "{env:OPENAI_API_KEY}"
        made["provider"] = {provider: about}
    return made


def _failure(ended: Ended, stream: EventStream) -> SessionFailed | None:
    errors = stream.of("error")
    if errors:
        return _refused(errors[-1].part("error"), ended.complaint)
    ends = [event.part("part").text("reason") for event in stream.of("step_finish")]
    last = [reason for reason in ends if reason != ON]
    if not last and ended.exit_code != 0:
        return SessionFailed("exit", f"opencode ended with exit code {ended.exit_code}: {ended.complaint}")
    if stream.broken is not None:
        return SessionFailed("protocol", f"opencode: {stream.broken}")
    if len(last) != 1 or ends[-1] == ON:
        return SessionFailed("protocol", f"opencode: {len(last) or 'no'} last steps in its event stream")
    if ended.exit_code != 0:
        return SessionFailed("exit", f"opencode ended with exit code {ended.exit_code}: {ended.complaint}")
    if last[0] != "stop":
        return SessionFailed("api", f"opencode: its last step ended for the reason {last[0]}")
    return None


def _refused(error: Event, complaint: str) -> SessionFailed:
    data = error.part("data")
    message = data.text("message") or error.text("message") or error.text("name") or complaint
    return refused("opencode", data.count("statusCode"), message)


def _told(stream: EventStream, ask: Ask, environ: Mapping[str, str]) -> Told:
    steps = [event.part("part") for event in stream.of("step_finish")]
    calls = {part.text("callID"): part for part in (event.part("part") for event in stream.of("tool_use"))}
    # In the middle of a step nobody knows what it took; one that was refused took nothing.
    whole = bool(stream.of("error")) or any(step.get("reason") != ON for step in steps)
    cost = _cost(steps) if whole and _list_prices(ask, environ) else None
    return Told(
        text=_last_words(stream),
        usage=_usage(steps) if whole else None,
        cost_usd=cost,
        cost_source="none" if cost is None else "reported",
        calls=tuple(map(_in_common_words, calls.values())),
        skills_loaded=tuple(dict.fromkeys(_loaded(calls.values()))),
    )


def _in_common_words(part: Event) -> Call:
    name, state = part.text("tool") or "?", part.part("state")
    arguments = state.part("input")
    failed = state.get("status") != "completed"  # a command that ends badly is completed
    return Call(
        name=name,
        paths=named_paths(name, arguments, KNOWN),
        command=arguments.text("command") if name == "bash" else None,
        web=asked_of_web(name, arguments, KNOWN),
        failed=failed,
        output="" if failed else state.text("output"),
    )


def _cost(steps: list[Event]) -> float | None:
    """None as well where it says 0: that is what it counts for a model whose price it does not know."""
    costs = [step.amount("cost") for step in steps]
    return sum(cost or 0.0 for cost in costs) or None if None not in costs else None


def _list_prices(ask: Ask, environ: Mapping[str, str]) -> bool:
    """Whether the list prices that it multiplies with are those of whoever answers."""
    provider = (ask.model or "").partition("/")[0]
    return not any(environ.get(name) for of, name in BASE_URLS.items() if provider in (of, ""))


def _usage(steps: list[Event]) -> Usage | None:
    """Tokens of the steps that came to an end; each is told of once."""
    if not steps:
        return None
    told = [step.part("tokens") for step in steps]
    counts = [
        [one.count("input"), _said(one), one.part("cache").count("read"), one.part("cache").count("write")]
        for one in told
    ]
    fresh, said, read, written = (
        None if None in column else sum(count or 0 for count in column) for column in zip(*counts, strict=True)
    )
    return Usage(
        input_tokens=fresh, output_tokens=said, cache_read_tokens=read, cache_write_tokens=written, turns=len(steps)
    )


def _said(tokens: Event) -> int | None:
    """It counts what was thought apart."""
    said = tokens.count("output")
    return None if said is None else said + (tokens.count("reasoning") or 0)


def _loaded(calls: Iterable[Event]) -> Iterator[str]:
    """The skills whose loading had a result that is no error."""
    for call in calls:
        name = call.part("state").part("input").text("name")
        if call.get("tool") == "skill" and call.part("state").get("status") == "completed" and name:
            yield name


def _last_words(stream: EventStream) -> str:
    """The text of the last step that has one."""
    text, step = "", None
    for event in stream.of("text"):
        part = event.part("part")
        text = (text if part.text("messageID") == step else "") + (part.text("text") or "")
        step = part.text("messageID")
    return text
