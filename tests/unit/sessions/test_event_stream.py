"""Event streams: whatever a program prints is read as far as it goes."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pytest_reviewbench.contain.sandbox import View
from pytest_reviewbench.sessions.agents import AGENTS
from pytest_reviewbench.sessions.event_stream import Event, read_stream
from pytest_reviewbench.sessions.protocol import Ask, Ended
from tests.unit.sessions import making


def test_a_whole_stream_has_all_its_objects_and_nothing_broken() -> None:
    stream = read_stream(b'{"type": "a"}\r\n\n{"type": "b", "n": 1}')
    assert [event["type"] for event in stream.events] == ["a", "b"]
    assert stream.broken is None
    assert [event["n"] for event in stream.of("b", "c")] == [1]


def test_what_cannot_be_read_is_named_and_the_rest_is_kept() -> None:
    for bad in (b'{"type": "c', b"[1]", b"warning", b"\xff", b'{"a": NaN}', b"[" * 100_000):
        stream = read_stream(b'{"type": "a"}\n' + bad + b'\n{"type": "b"}\n')
        assert [event["type"] for event in stream.events] == ["a", "b"], bad
        assert stream.broken is not None
        assert "line 2" in stream.broken


def test_half_a_surrogate_pair_loses_no_event() -> None:
    stream = read_stream(b'{"type": "a", "text": "\\ud83d"}\n')
    assert stream.broken is None
    assert stream.events[0].text("text") == "\ufffd"


def test_values_of_another_type_are_not_there() -> None:
    event = Event({"n": -1, "b": True, "s": 3, "l": {"x": 1}, "d": [1, {"y": 2}, "z"]})
    assert (event.count("n"), event.count("b"), event.amount("b"), event.text("s")) == (None, None, None, None)
    assert (event.parts("l"), event.part("d"), event.count("none")) == ([], {}, None)
    assert (event.parts("d"), event.words("d"), event.amount("s")) == ([{"y": 2}], ("z",), 3.0)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
NAMES = st.sampled_from([
    "type", "subtype", "message", "content", "usage", "id", "item", "result", "is_error", "event", "model", "name",
    "modelUsage", "input", "parent_tool_use_id", "delta", "error", "text", "tools", "skills", "skill",
])  # fmt: skip
KINDS = st.sampled_from([
    "system", "init", "assistant", "user", "result", "stream_event", "message_start", "message_delta",
    "content_block_delta", "tool_use", "tool_result", "turn.completed", "turn.failed", "item.completed", "error",
    "command_execution", "agent_message",
])  # fmt: skip
VALUES = st.recursive(
    SCALARS | KINDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(NAMES, VALUES, max_size=6), max_size=6), st.integers(0, 2), st.binary(max_size=9))
def test_no_stream_stops_an_agent_from_being_read(events: list[making.Json], code: int, end: bytes) -> None:
    ask = Ask("", Path("/none"), Path("/none"), View(), 1)
    for agent in AGENTS.values():
        reading = agent.read(Ended(code, making.lines(*events) + end), ask, {})
        assert isinstance(reading.told.text, str)
        assert reading.failure is not None or code == 0
