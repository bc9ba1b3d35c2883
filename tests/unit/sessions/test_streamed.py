"""Pieces of an answer are kept in one piece, so that a secret that was cut by streaming is one again."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from pytest_reviewbench.sessions.streamed import joined
from tests.unit.sessions.making import Json

KEY = "sk-ant-api03-" + "aB3dE5" * 8


def claude(words: str, name: str = "text", index: int = 0) -> Json:
    delta = {"type": f"{name}_delta", name: words}
    return {"type": "stream_event", "event": {"type": "content_block_delta", "index": index, "delta": delta}}


PIECES: dict[str, Callable[[str], Json]] = {
    "claude": claude,
    "the input of a tool": lambda words: claude(words, "partial_json"),
    "reasoning": lambda words: claude(words, "thinking"),
    "llm": lambda words: {"type": "words", "text": words},
    "gemini": lambda words: {"type": "message", "role": "assistant", "content": words, "delta": True},
}


def stream(events: list[Json]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


@pytest.mark.parametrize("kind", PIECES)
@pytest.mark.parametrize("size", [1, 3, 20])
def test_a_secret_that_came_in_pieces_stands_in_one_line(kind: str, size: int) -> None:
    said = f"it says {KEY} here"
    events = [PIECES[kind](said[at : at + size]) for at in range(0, len(said), size)]
    kept = joined(stream([{"type": "system"}, *events, {"type": "result"}]))
    assert KEY in kept.decode()
    assert [json.loads(line)["type"] for line in kept.split(b"\n") if line] == [
        "system",
        events[0]["type"],
        "result",
    ]


def test_parts_that_come_by_turns_are_joined_each_by_itself() -> None:
    ping: Json = {"type": "stream_event", "event": {"type": "ping"}}
    events = [claude("a"), claude("1", index=1), claude("b"), ping, claude("2", index=1)]
    kept = [json.loads(line)["event"] for line in joined(stream(events)).split(b"\n") if line]
    said = [event.get("delta", {}).get("text") for event in kept]
    assert said == ["ab", "12", None]


def test_a_new_message_begins_new_parts() -> None:
    kept = joined(stream([claude("a"), {"type": "stream_event", "event": {"type": "message_start"}}, claude("b")]))
    assert [json.loads(line)["event"]["type"] for line in kept.split(b"\n") if line] == [
        "content_block_delta", "message_start", "content_block_delta"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "raw",
    [b"", b"\n\n", b"no json\n", b'{"type": "words"', b"[1]\n", b'{"type": "words", "text": 5}\n', b"\xff\xfe{}\n",
     b'{"type":"stream_event","event":{"type":"content_block_delta","delta":[]}}\n'],
)  # fmt: skip
def test_what_cannot_be_read_stays_as_it_is(raw: bytes) -> None:
    assert joined(raw) == raw
