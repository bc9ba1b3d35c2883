"""What a reviewer's session said and did, in short."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_reviewbench.report.page.visible import visible
from pytest_reviewbench.sessions.event_stream import read_stream

READ = 48 << 10
"""Bytes that are read of each end of a stream."""
MOST_STEPS = 24
STEP_LIMIT = 700

SPOKEN = frozenset(
    {"text", "thinking", "content", "result", "command", "output", "aggregated_output", "input", "arguments",
     "file_path", "pattern", "path", "query", "message", "item", "part", "parts", "state", "delta", "error", "name"}
)  # fmt: skip
"""Keys under which the event streams of all agents say something; ids, usage and settings are left out."""

Steps = list[tuple[str, str]]


def excerpt(run: Path, case: str) -> Steps:
    """Up to 24 (what, words) of the stored event stream: its beginning and its end; else of the raw answer."""
    stream = _ends(run / "transcripts" / f"{case}.jsonl")
    if stream is None:
        answer = _ends(run / "answers" / f"{case}.txt")
        return [] if answer is None else [("answer", visible(_joined(*answer).strip(), 4 * STEP_LIMIT))]
    head, tail = stream
    first, last = list(_steps(head)), list(_steps(tail))
    half = MOST_STEPS // 2
    if not tail and len(first) <= MOST_STEPS:
        return first
    end = last[-half:] if tail else first[-half:]
    return [*first[:half], ("…", "what came between is in the run folder"), *end]


def _ends(path: Path) -> tuple[bytes, bytes] | None:
    """The first and the last bytes of a file, whole lines where it was cut; None: there is none."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            head = file.read(READ)
            if size <= len(head):
                return head, b""
            file.seek(max(READ, size - READ))
            return head.rpartition(b"\n")[0] or head, file.read(READ).partition(b"\n")[2]
    except OSError:
        return None


def _joined(head: bytes, tail: bytes) -> str:
    return (head + (b"\n...\n" + tail if tail else b"")).decode("utf-8", "replace")


def _steps(raw: bytes) -> Iterator[tuple[str, str]]:
    for event in read_stream(raw).events:
        words = " · ".join(dict.fromkeys(_words(event, 0)))
        if words.strip():
            yield visible(event.text("type") or "event", 40), visible(words, STEP_LIMIT)


def _words(value: Any, depth: int, spoken: bool = False) -> Iterator[str]:
    """The strings that stand under a key of `SPOKEN`, however deep."""
    if isinstance(value, str):
        if spoken and value.strip():
            yield value.strip()[: STEP_LIMIT * 2]
    elif depth < 8 and isinstance(value, dict):
        for key, inner in value.items():
            yield from _words(inner, depth + 1, key in SPOKEN)
    elif depth < 8 and isinstance(value, list):
        for inner in value[:50]:
            yield from _words(inner, depth + 1, spoken)
