"""Event streams: one JSON object a line, read as far as they go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_reviewbench.codec import parse
from pytest_reviewbench.errors import FormatError


class Event(dict[str, Any]):
    """An object of a stream whose content nobody vouches for: what is not of the type asked for is not there."""

    def text(self, name: str) -> str | None:
        value = self.get(name)
        return value if isinstance(value, str) else None

    def count(self, name: str) -> int | None:
        value = self.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None

    def amount(self, name: str) -> float | None:
        value = self.get(name)
        return (
            float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None
        )

    def part(self, name: str) -> Event:
        """The object at `name`; an empty one where there is none."""
        value = self.get(name)
        return Event(value) if isinstance(value, dict) else Event()

    def parts(self, name: str) -> list[Event]:
        """The objects of the list at `name`."""
        value = self.get(name)
        return [Event(item) for item in value if isinstance(item, dict)] if isinstance(value, list) else []

    def words(self, name: str) -> tuple[str, ...]:
        """The strings of the list at `name`."""
        value = self.get(name)
        return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


@dataclass(frozen=True, slots=True)
class EventStream:
    """`events` are the objects that could be read; `broken` says which line could not (None: all could)."""

    events: Sequence[Event]
    broken: str | None = None

    def of(self, *kinds: str) -> list[Event]:
        """The events whose `type` is one of `kinds`."""
        return [event for event in self.events if event.get("type") in kinds]


def read_stream(raw: bytes) -> EventStream:
    """The stream in `raw`. A last line without an end is read when it is whole. Never raises."""
    events: list[Event] = []
    broken: str | None = None
    for number, line in enumerate(raw.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = parse(line, f"line {number} of its event stream", mend_surrogates=True)
        except FormatError as e:
            broken = broken or str(e)
            continue
        if isinstance(value, dict):
            events.append(Event(value))
        else:
            broken = broken or f"line {number} of its event stream: not an object"
    return EventStream(tuple(events), broken)
