"""Event streams as agents print them, written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pytest_reviewbench.contain.sandbox import View
from pytest_reviewbench.sessions.protocol import Ask

Json = dict[str, Any]


def asked(folder: Path, **more: Any) -> Ask:
    home = folder / "home"
    home.mkdir(exist_ok=True)
    view = View(readable=(folder,), writable=(home,))
    given: dict[str, Any] = {"prompt": "review", "timeout": 60.0}
    return Ask(folder=folder, home=home, view=view, **given | more)


def lines(*events: Json) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def init(**more: Any) -> Json:
    tools = ["Glob", "Grep", "Read"]
    return {"type": "system", "subtype": "init", "tools": tools, "skills": [], "model": "asked", **more}


def spoken(key: str, *blocks: Json, parent: str | None = None, model: str = "m-1", tokens: int = 10) -> Json:
    usage = {"input_tokens": tokens, "output_tokens": 1}
    usage |= {"cache_read_input_tokens": 3, "cache_creation_input_tokens": 1}
    message = {"id": key, "model": model, "content": list(blocks), "usage": usage}
    return {"type": "assistant", "message": message, "parent_tool_use_id": parent}


def words(text: str) -> Json:
    return {"type": "text", "text": text}


def call(key: str, name: str, **arguments: Any) -> Json:
    return {"type": "tool_use", "id": key, "name": name, "input": arguments}


def answered(key: str, *, error: bool = False) -> Json:
    block = {"type": "tool_result", "tool_use_id": key, "content": "x", **({"is_error": True} if error else {})}
    return {"type": "user", "message": {"content": [block]}}


def result(text: str | None = "[]", **more: Any) -> Json:
    usage = {"inputTokens": 20, "outputTokens": 9, "cacheReadInputTokens": 6, "cacheCreationInputTokens": 2}
    made = {
        "type": "result", "subtype": "success", "is_error": False, "result": text, "num_turns": 2,
        "total_cost_usd": 0.5, "modelUsage": {"m-1": usage},
    }  # fmt: skip
    return {key: value for key, value in (made | more).items() if value is not None}


def item(key: str, kind: str, *, begun: bool = False, **more: Any) -> Json:
    return {"type": "item.started" if begun else "item.completed", "item": {"id": key, "type": kind, **more}}


def command(key: str, output: str, code: int = 0) -> Json:
    return item(key, "command_execution", command="cat x", aggregated_output=output, exit_code=code)


def turn(**usage: int) -> Json:
    told = {"input_tokens": 100, "cached_input_tokens": 30, "cache_write_input_tokens": 10, "output_tokens": 7}
    return {"type": "turn.completed", "usage": told | usage}


def turn_failed(message: str) -> Json:
    return {"type": "turn.failed", "error": {"message": message}}


def gemini_start() -> Json:
    return {"type": "init", "session_id": "s", "model": "asked"}


def gemini_said(text: str) -> list[Json]:
    """One message in two pieces."""
    pieces = (text[: len(text) // 2], text[len(text) // 2 :])
    return [{"type": "message", "role": "assistant", "content": piece, "delta": True} for piece in pieces]


def gemini_call(key: str, tool: str, status: str | None = "success", **parameters: Any) -> list[Json]:
    """A call and its result; `status` None: it has none."""
    called = {"type": "tool_use", "tool_name": tool, "tool_id": key, "parameters": parameters}
    result = {"type": "tool_result", "tool_id": key, "status": status, "output": ""}
    return [called, *([result] if status else [])]


def gemini_result(status: str = "success", error: Json | None = None, models: Json | None = None) -> Json:
    """`models` are tokens by name, as `gemini_tokens` makes them."""
    stats = {"total_tokens": 1, "models": models or {"m-1": gemini_tokens()}}
    return {"type": "result", "status": status, "stats": stats, **({"error": error} if error else {})}


def gemini_tokens(fresh: int = 70, cached: int = 30, said: int = 7) -> Json:
    total = fresh + cached
    told = {"input_tokens": total, "output_tokens": said, "cached": cached, "input": fresh}
    return {"total_tokens": total + said, **told}


def gemini_refused(status: int | None, message: str) -> Json:
    told = message
    if status is not None:
        told = f"[API Error: {json.dumps({'error': {'code': status, 'message': message}}, separators=(',', ':'))}]"
    return gemini_result("error", {"type": "unknown", "message": told}, {"asked": gemini_tokens(0, 0, 0)})


def step(number: int, reason: str = "stop", cost: float | None = 0.25, **tokens: int) -> Json:
    """The end of a step of opencode."""
    told = {"input": 100, "output": 7, "reasoning": 2, "cache": {"read": 30, "write": 10}} | tokens
    part = {"id": f"p{number}", "messageID": f"m{number}", "reason": reason, "tokens": told, "cost": cost}
    return {"type": "step_finish", "part": {key: value for key, value in part.items() if value is not None}}


def step_said(number: int, text: str) -> Json:
    return {"type": "text", "part": {"messageID": f"m{number}", "text": text}}


def step_call(key: str, tool: str, status: str = "completed", **arguments: Any) -> Json:
    state = {"status": status, "input": arguments, "output": "x"}
    return {"type": "tool_use", "part": {"callID": key, "tool": tool, "state": state}}


def step_refused(status: int | None, message: str) -> Json:
    data = {"message": message, "isRetryable": False, **({} if status is None else {"statusCode": status})}
    return {"type": "error", "error": {"name": "APIError", "data": data}}
