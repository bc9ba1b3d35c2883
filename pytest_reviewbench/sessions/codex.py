"""Codex: `codex exec --json`, its shell in its own read-only sandbox, without network and key."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from pytest_reviewbench.contain.environment import search_path
from pytest_reviewbench.errors import ReviewFailed
from pytest_reviewbench.model import Usage
from pytest_reviewbench.sessions.arguments import paths_anywhere
from pytest_reviewbench.sessions.event_stream import Event, EventStream, read_stream
from pytest_reviewbench.sessions.logins import login_of
from pytest_reviewbench.sessions.protocol import Ask, Call, Ended, Launch, Probe, Reading, SessionFailed, Told
from pytest_reviewbench.sessions.refusals import refused
from pytest_reviewbench.sessions.surroundings import (
    copy_of_skill,
    network_view,
    passed_on,
    skill_name,
    temporary_folder,
)

SANDBOX = "read-only"
LOGIN = "auth.json"
TRIAL = 'test -r "$1" || exit; shift; for file; do ! cat "$file" 2>/dev/null | grep -q . || exit; done'
"""Whether its shell reads the folder, and none of the logins."""
KEYS = ("CODEX_API_KEY", "OPENAI_API_KEY")
SERVICE = "https://api.openai.com/v1"
RETRIES = 2
"""Of a request. A stream that breaks is asked for once more, so six requests are the most for one answer."""
IDLE_SECONDS = 300.0

NOT_OFFERED = (
    "api_key_model_discovery", "apps", "browser_use", "computer_use", "daemon_auto_start", "goals", "hooks",
    "image_generation", "memories", "multi_agent", "plugins", "remote_plugin", "shell_snapshot",
    "skill_mcp_dependency_install", "tool_suggest", "unbounded_connection_retries", "view_image",
)  # fmt: skip
"""Features that reach beyond the workspace, start something of their own, or go on for ever. A version that lacks
one ignores it."""

STATUS = re.compile(r"\bstatus:? (\d{3})\b")
SILENT = ("agent_message", "reasoning", "error", "todo_list")
"""Items of the stream that are no calls of tools."""
LOADED = 200
"""Characters of a skill's text that must have been seen."""


class Codex:
    """See docs/agents.md for what it gets and what was measured."""

    name = "codex"
    help = ("exec", "--help")
    variables = (*KEYS, "OPENAI_BASE_URL", "OPENAI_ORGANIZATION", "OPENAI_PROJECT", "CODEX_CA_CERTIFICATE")

    def launch(self, probe: Probe, ask: Ask, environ: Mapping[str, str]) -> Launch:
        # Its own sandbox takes the network from its shell and nothing else does: never without.
        home = ask.home / ".codex"  # not below TMPDIR: it refuses to keep its programs there, and then has no shell
        home.mkdir(exist_ok=True)
        closed = _logins(home, environ)
        profile = [word for setting in _profile(closed) for word in ("--config", setting)] if closed else []
        argv = [probe.program, "exec", "--json", *(profile or ["--sandbox", SANDBOX]), "--skip-git-repo-check"]
        argv += [flag for flag in ("--ephemeral", "--ignore-user-config", "--ignore-rules") if flag in probe.flags]
        if ask.model is not None:
            argv += ["--model", ask.model]
        for name, value in _settings(ask, environ):
            argv += ["--config", f"{name}={value}"]
        if ask.skill is not None:
            copy_of_skill(ask.skill, home / "skills")
        given = passed_on(self.variables, environ)
        environment = given | {"CODEX_HOME": str(home), "TMPDIR": str(temporary_folder(ask))}
        # When its shell cannot start, a session ends well all the same, having seen nothing.
        bounds = profile or ["--config", f"sandbox_mode={_toml(SANDBOX)}"]
        tried = (
            ["test", "-r", str(ask.folder)] if not closed else ["sh", "-c", TRIAL, "sh", str(ask.folder), *closed]
        )
        trial = [probe.program, "sandbox", *bounds, "--", *tried]
        return Launch(argv, environment, network_view(ask, given, nested=True), trial)

    def read(self, ended: Ended, ask: Ask, environ: Mapping[str, str]) -> Reading:
        stream = read_stream(ended.stdout)
        own = any(environ.get(key) for key in KEYS) and not environ.get("OPENAI_BASE_URL")
        told = dataclasses.replace(_told(stream, ask), service="openai" if own else None)
        return Reading(told, _failure(ended, stream))


def _logins(home: Path, environ: Mapping[str, str]) -> list[str]:
    """Files with a login, where a session was lent one: its shell must read none of them."""
    if not (home / LOGIN).exists():
        return []
    lender = login_of(Codex.name, environ)
    files = [home / LOGIN, *([lender.file] if lender is not None else [])]
    return sorted({str(path) for file in files if file.exists() for path in (file, file.resolve())})


def _profile(closed: Sequence[str]) -> list[str]:
    """Settings for a sandbox that reads everything but `closed`, writes nothing, and has no network."""
    denied = ", ".join(f"{_toml(path)} = {_toml('deny')}" for path in closed)
    return [
        f"default_permissions={_toml('lent')}",
        f"permissions.lent.extends={_toml(':read-only')}",
        f"permissions.lent.filesystem={{ {denied} }}",
    ]


def _settings(ask: Ask, environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Its settings as (path, TOML value). Other users of the machine can read them: no secret is among them."""
    key = next((name for name in KEYS if environ.get(name)), None)
    url = environ.get("OPENAI_BASE_URL") or (SERVICE if key else None)
    if url is not None:
        parts = urlsplit(url)
        if parts.password or parts.query:
            raise ReviewFailed(
                "spawn", "OPENAI_BASE_URL holds a password or a query; give codex its key by variable"
            )
        provider = {
            "name": "given",
            "base_url": url,
            "env_key": key,
            "wire_api": "responses",
            "request_max_retries": RETRIES,
            "stream_max_retries": 1,
            "stream_idle_timeout_ms": int(min(IDLE_SECONDS, ask.timeout) * 1000),
        }
        yield "model_provider", _toml("given")
        for name, value in provider.items():
            if value is not None:
                yield f"model_providers.given.{name}", _toml(value)
    yield "approval_policy", _toml("never")
    yield "web_search", _toml("disabled")
    yield "project_doc_max_bytes", "0"
    yield "allow_login_shell", "false"
    yield "skills.bundled.enabled", "false"
    yield "check_for_update_on_startup", "false"
    yield "analytics.enabled", "false"
    yield "shell_environment_policy.inherit", _toml("none")
    for name, value in (("PATH", search_path(environ)), ("HOME", str(ask.home))):
        yield f"shell_environment_policy.set.{name}", _toml(value)
    for name in NOT_OFFERED:
        yield f"features.{name}", "false"


def _toml(value: str | int) -> str:
    return json.dumps(value)  # strings and numbers of JSON are those of TOML


def _failure(ended: Ended, stream: EventStream) -> SessionFailed | None:
    ends = stream.of("turn.completed", "turn.failed")
    if not ends and ended.exit_code != 0:
        errors = stream.of("error")
        return _refused(errors[-1].text("message") or "") if errors else _exit(ended)
    if stream.broken is not None:
        return SessionFailed("protocol", f"codex: {stream.broken}")
    if len(ends) != 1:
        return SessionFailed("protocol", f"codex: {len(ends) or 'no'} ends of its turn in its event stream")
    if ends[0].get("type") == "turn.failed":
        return _refused(ends[0].part("error").text("message") or ended.complaint)
    if ended.exit_code != 0:
        return _exit(ended)
    return None


def _refused(message: str) -> SessionFailed:
    status = STATUS.search(message)
    return refused("codex", int(status[1]) if status else None, message)


def _exit(ended: Ended) -> SessionFailed:
    return SessionFailed("exit", f"codex ended with exit code {ended.exit_code}: {ended.complaint}")


def _items(stream: EventStream) -> list[Event]:
    """Each item once, as it was last told of, in the order in which they began."""
    found: dict[str, Event] = {}
    for event in stream.of("item.started", "item.updated", "item.completed"):
        item = event.part("item")
        if key := item.text("id"):
            found[key] = item
    return list(found.values())


def _told(stream: EventStream, ask: Ask) -> Told:
    items = _items(stream)
    said = [item.text("text") or "" for item in items if item.get("type") == "agent_message"]
    return Told(
        text=said[-1] if said else "",
        usage=_usage(stream),
        calls=tuple(_called(item) for item in items if item.get("type") not in SILENT),
        skills_loaded=() if ask.skill is None else tuple(_loaded(ask.skill, items)),
    )


def _called(item: Event) -> Call:
    """A command's folder is not told: where it is not the session's, relative paths in it lead elsewhere."""
    kind = item.text("type") or "?"
    return Call(
        name=" ".join(filter(None, (kind, item.text("tool")))),
        paths=paths_anywhere(item.part("arguments")),
        command=item.text("command") if kind == "command_execution" else None,
        web=(item.text("query") or "") if kind == "web_search" else None,
        failed=item.text("status") in ("failed", "declined", "in_progress"),
        output=item.text("aggregated_output"),
    )


def _usage(stream: EventStream) -> Usage | None:
    ends = stream.of("turn.completed")
    if len(ends) != 1:
        return None
    told = ends[0].part("usage")
    fresh, read, written = (
        told.count(name) for name in ("input_tokens", "cached_input_tokens", "cache_write_input_tokens")
    )
    if fresh is not None:  # it counts what came from the cache as well
        fresh = max(0, fresh - (read or 0) - (written or 0))
    return Usage(
        input_tokens=fresh,
        output_tokens=told.count("output_tokens"),
        cache_read_tokens=read,
        cache_write_tokens=written,
    )


def _loaded(skill: Path, items: list[Event]) -> Iterator[str]:
    """The name of `skill` when its text, not only its name, stands in what a command printed."""
    try:
        whole = (skill / "SKILL.md").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    text = _squeezed(_body(whole))[:LOADED]
    outputs = (item.text("aggregated_output") or "" for item in items if item.get("type") == "command_execution")
    if text and any(text in _squeezed(output) for output in outputs):
        yield skill_name(skill)


def _body(text: str) -> str:
    """What follows the front matter, which every session is shown."""
    return re.sub(r"\A---\r?\n.*?\n---\r?\n", "", text, flags=re.DOTALL)


def _squeezed(text: str) -> str:
    return " ".join(text.split())
