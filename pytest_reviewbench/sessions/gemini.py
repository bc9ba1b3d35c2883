"""Gemini CLI: `gemini --output-format stream-json` with reading tools alone, under a policy of ours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_reviewbench.errors import ReviewFailed
from pytest_reviewbench.model import Usage
from pytest_reviewbench.sessions.arguments import asked_of_web, named_paths
from pytest_reviewbench.sessions.event_stream import Event, EventStream, read_stream
from pytest_reviewbench.sessions.protocol import Ask, Call, Ended, Launch, Probe, Reading, SessionFailed, Told
from pytest_reviewbench.sessions.refusals import refused
from pytest_reviewbench.sessions.surroundings import copy_of_skill, network_view, passed_on, temporary_folder

TOOLS = ("read_file", "list_directory", "grep_search", "glob")
KNOWN = frozenset((
    *TOOLS, "activate_skill", "google_web_search", "read_many_files", "replace", "run_shell_command", "save_memory",
    "search_file_content", "web_fetch", "write_file", "write_todos",
))  # fmt: skip
"""Its own tools whose arguments are understood; in those of others everything that can be a path is one."""
LOAD = "activate_skill"
BUNDLED = ("antigravity-support", "skill-creator")
"""Skills that come with it."""
LOGIN = ".gemini/oauth_creds.json"
ATTEMPTS = 3

STATUS = re.compile(r"\"code\": ?(\d{3})\b|\bstatus:? (\d{3})\b|\[?\bAPI Error: (\d{3})\b")
TURNS = re.compile(r"(?i)\bmax(?:imum)? session turns\b")
STOPPED = re.compile(r"\ALoop detected\b|\AAgent execution (?:stopped|blocked)\b")
"""It goes on to say `success`, having said nothing more."""
QUOTA = re.compile(r"(?i)\bquota\b|\brate.?limit")
"""How it speaks of a 429, whose number it leaves out."""


class Gemini:
    """See docs/agents.md for what it gets and what was measured."""

    name = "gemini"
    help = ("--help",)
    variables = (
        "GEMINI_API_KEY", "GEMINI_MODEL", "GOOGLE_CLOUD_PROJECT", "GOOGLE_GEMINI_BASE_URL",
        "GOOGLE_GENAI_API_VERSION",
    )  # fmt: skip

    def launch(self, probe: Probe, ask: Ask, environ: Mapping[str, str]) -> Launch:
        _refuse_variables_of_others(ask.folder)
        home = ask.home / ".gemini"
        home.mkdir(exist_ok=True)
        tools = [*TOOLS, *([LOAD] if ask.skill else [])]
        settings = _settings(tools, ask, login=not environ.get("GEMINI_API_KEY") and (ask.home / LOGIN).exists())
        (home / "settings.json").write_text(json.dumps(settings))
        policy = home / "policy.toml"
        policy.write_text(_policy(tools))
        if ask.skill is not None:
            copy_of_skill(ask.skill, home / "skills")
        # A folder that is not trusted is refused; what would be read from a trusted one is not there (arms.md).
        argv = [probe.program, "--output-format", "stream-json", "--skip-trust", "--policy", str(policy)]
        argv += ["--approval-mode", "default", "--extensions", "none"]
        if ask.model is not None:
            argv += ["--model", ask.model]
        given = passed_on(self.variables, environ)
        environment = given | {
            "TMPDIR": str(temporary_folder(ask)),
            "GEMINI_CLI_SYSTEM_DEFAULTS_PATH": str(home / "none.json"),
            "NO_COLOR": "1",
        }
        return Launch(argv, environment, network_view(ask, given))

    def read(self, ended: Ended, ask: Ask, environ: Mapping[str, str]) -> Reading:
        stream = read_stream(ended.stdout)
        results = stream.of("result")
        result = results[-1] if len(results) == 1 else Event()
        return Reading(_told(stream, result), _failure(ended, stream, results))


def _refuse_variables_of_others(folder: Path) -> None:
    """It takes variables from `.gemini/.env` of any folder above, as base URLs, and no setting stops it."""
    for above in (folder, *folder.parents):
        file = above / ".gemini" / ".env"
        if file.exists():
            raise ReviewFailed("spawn", f"gemini would read {file}; move it away, or set TMPDIR to another place")


def _settings(tools: list[str], ask: Ask, *, login: bool) -> dict[str, Any]:
    return {
        "admin": {"extensions": {"enabled": False}, "mcp": {"enabled": False}},
        "advanced": {"ignoreLocalEnv": True},
        "context": {
            "discoveryMaxDirs": 0,
            "fileFiltering": {"respectGeminiIgnore": False, "respectGitIgnore": False},
            "includeDirectoryTree": False,
            "memoryBoundaryMarkers": [],
        },
        "experimental": {"enableAgents": False},
        "general": {
            "enableAutoUpdate": False,
            "enableAutoUpdateNotification": False,
            "maxAttempts": ATTEMPTS,
            "plan": {"enabled": False},
            "topicUpdateNarration": False,
        },
        "hooksConfig": {"enabled": False},
        "ide": {"enabled": False},
        "model": {} if ask.max_turns is None else {"maxSessionTurns": ask.max_turns},
        "privacy": {"usageStatisticsEnabled": False},
        "security": {"auth": {"selectedType": "oauth-personal" if login else "gemini-api-key"}},
        "skills": {"disabled": list(BUNDLED), "enabled": ask.skill is not None},
        "telemetry": {"enabled": False},
        "tools": {"core": tools, "useRipgrep": False},  # it would fetch one
    }


def _policy(tools: list[str]) -> str:
    """Rules in TOML; the highest number wins. `glob` lists names outside of its folder if it is let."""
    rules = [
        {"toolName": "*", "decision": "deny", "priority": 900},
        {"toolName": tools, "decision": "allow", "priority": 950},
        {"toolName": "glob", "argsPattern": r'"pattern":"(/|[^"]*\.\.)', "decision": "deny", "priority": 990},
    ]
    lines = [["[[rule]]", *(f"{key} = {json.dumps(value)}" for key, value in rule.items())] for rule in rules]
    return "\n".join(line for rule in lines for line in rule) + "\n"


def _failure(ended: Ended, stream: EventStream, results: list[Event]) -> SessionFailed | None:
    if not results and ended.exit_code != 0:
        return SessionFailed("exit", f"gemini ended with exit code {ended.exit_code}: {ended.complaint}")
    if stream.broken is not None:
        return SessionFailed("protocol", f"gemini: {stream.broken}")
    if len(results) != 1:
        return SessionFailed("protocol", f"gemini: {len(results) or 'no'} final results in its event stream")
    error = results[0].part("error")
    said = [event.text("message") or "" for event in stream.of("error") if _ends(event)]
    message = error.text("message") or "; ".join(said)
    if TURNS.search(message):
        return SessionFailed("max_turns", f"gemini: {message}")
    if results[0].get("status") != "success":
        return refused("gemini", _status(message), message or ended.complaint)
    if said:
        return SessionFailed("api", f"gemini: {message}")
    if ended.exit_code != 0:
        return SessionFailed("exit", f"gemini ended with exit code {ended.exit_code}: {ended.complaint}")
    return None


def _ends(event: Event) -> bool:
    return event.get("severity") == "error" or STOPPED.search(event.text("message") or "") is not None


def _status(message: str) -> int | None:
    found = STATUS.search(message)
    if found is not None:
        return int(next(filter(None, found.groups())))
    return 429 if QUOTA.search(message) else None


def _told(stream: EventStream, result: Event) -> Told:
    models = result.part("stats").part("models")
    calls = {event.text("tool_id"): event for event in stream.of("tool_use")}
    start = next(iter(stream.of("init")), Event())
    return Told(
        text=_last_words(stream),
        model=max(models, key=lambda name: models.part(name).count("output_tokens") or 0, default=None)
        or start.text("model"),
        usage=_usage(models),
        calls=tuple(_in_common_words(stream, calls)),
        skills_loaded=tuple(dict.fromkeys(_loaded(stream, calls))),
    )


def _in_common_words(stream: EventStream, calls: Mapping[str | None, Event]) -> Iterator[Call]:
    results = {event.text("tool_id"): event for event in stream.of("tool_result")}
    for key, event in calls.items():
        name, arguments = event.text("tool_name") or "?", event.part("parameters")
        result = results.get(key, Event())
        failed = result.get("status") != "success"  # a command that ends badly is none
        command = arguments.text("command") if name == "run_shell_command" else None
        yield Call(
            name=name,
            paths=named_paths(name, arguments, KNOWN),
            command=command,
            web=asked_of_web(name, arguments, KNOWN),
            failed=failed,
            # Of what a tool read it tells nothing, or a line for people: empty is not nothing, but for a command.
            output="" if failed else result.text("output") or ("" if command is not None else None),
        )


def _usage(models: Event) -> Usage | None:
    """Tokens of all models that answered. It counts what came from a cache among the input as well."""
    told = [models.part(name) for name in models if models.part(name).count("total_tokens")]
    if not told:
        return None
    fresh, said, read = (
        None if None in counts else sum(count or 0 for count in counts)
        for counts in ([one.count(name) for one in told] for name in ("input", "output_tokens", "cached"))
    )
    return Usage(input_tokens=fresh, output_tokens=said, cache_read_tokens=read)


def _loaded(stream: EventStream, calls: Mapping[str | None, Event]) -> Iterator[str]:
    """The skills whose loading had a result that is no error."""
    for event in stream.of("tool_result"):
        call = calls.get(event.text("tool_id"), Event())
        name = call.part("parameters").text("name")
        if call.get("tool_name") == LOAD and event.get("status") == "success" and name:
            yield name


def _last_words(stream: EventStream) -> str:
    """What the model said after its last call of a tool, as far as it came."""
    text = ""
    for event in stream.events:
        if event.get("type") == "tool_use":
            text = ""
        elif event.get("type") == "message" and event.get("role") == "assistant":
            text = (
                text + (event.text("content") or "") if event.get("delta") is True else event.text("content") or ""
            )
    return text
