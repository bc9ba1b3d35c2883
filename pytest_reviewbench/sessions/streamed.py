"""An event stream as it is kept: an answer that came in pieces stands in it in one piece.

A service sends a few characters at a time, so that no line of the stream holds a secret that the answer holds, and
whoever looks for secrets line by line finds none. Joined, the words can be searched as they were said.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from typing import Any

from pytest_reviewbench import codec
from pytest_reviewbench.errors import FormatError

Event = dict[str, Any]
Piece = tuple[Hashable, str, Callable[[str], Event]]
"""What a piece belongs to, its words, and the event that says all of them."""

DELTAS = ("text", "partial_json", "thinking", "signature")
"""Where a `content_block_delta` of Anthropic's protocol holds its words."""


def joined(raw: bytes) -> bytes:
    """`raw` with the pieces of each part of an answer as one event, at the place of the first.

    Whatever else ends a part (another event of the same part) begins a new one. Lines that cannot be read stay.
    """
    lines: list[bytes | tuple[list[str], Callable[[str], Event]]] = []
    open_parts: dict[Hashable, list[str]] = {}
    for line in raw.split(b"\n"):
        event = _event(line)
        piece = None if event is None else _piece(event)
        if piece is None:
            if event is not None and not _is_between(event):
                open_parts.clear()
            lines.append(line)
            continue
        part, words, whole = piece
        if part in open_parts:
            open_parts[part].append(words)
        else:
            open_parts[part] = [words]
            lines.append((open_parts[part], whole))
    return b"\n".join(line if isinstance(line, bytes) else _line(line[1]("".join(line[0]))) for line in lines)


def _line(event: Event) -> bytes:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _event(line: bytes) -> Event | None:
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        value = codec.parse(line, "a line", mend_surrogates=True)
    except FormatError:
        return None
    return value if isinstance(value, dict) else None


def _is_between(event: Event) -> bool:
    """Events that come between the pieces of one answer."""
    inner = event.get("event")
    return event.get("type") == "stream_event" and isinstance(inner, dict) and inner.get("type") == "ping"


def _piece(event: Event) -> Piece | None:
    kind, inner = event.get("type"), event.get("event")
    if kind == "stream_event" and isinstance(inner, dict) and inner.get("type") == "content_block_delta":
        return _block_piece(event, inner)
    if kind == "words" and isinstance(words := event.get("text"), str):  # ours: agent llm
        return (kind,), words, lambda said: event | {"text": said}
    if (
        kind == "message" and event.get("delta") is True and isinstance(words := event.get("content"), str)
    ):  # gemini
        return (kind, str(event.get("role"))), words, lambda said: event | {"content": said}
    return None


def _block_piece(event: Event, inner: Event) -> Piece | None:
    delta = inner.get("delta")
    if not isinstance(delta, dict):
        return None
    name = next((name for name in DELTAS if isinstance(delta.get(name), str)), None)
    if name is None:
        return None
    part = (str(event.get("parent_tool_use_id")), str(inner.get("index")), name)
    return part, delta[name], lambda said: event | {"event": inner | {"delta": delta | {name: said}}}
