"""A change as the page draws it: files, hunks, lines."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

from unidiff import PatchSet

from pytest_reviewbench.report.page.visible import visible

MOST_LINES = 1_500
LINE_LIMIT = 500


@dataclass(frozen=True, slots=True)
class DrawnPatch:
    """`files` are `{"file", "hunks": [{"old", "new", "lines"}]}`: first line numbers, and lines with their sign.

    `left` lines more are not in it, because a page must open.
    """

    files: tuple[dict[str, Any], ...]
    left: int
    size: int


def drawn(raw: bytes) -> DrawnPatch:
    """The patch in `raw`, which `corpus.patch.parse_patch` has accepted."""
    files: list[dict[str, Any]] = []
    room, left, size = MOST_LINES, 0, 0
    for file in PatchSet(io.StringIO(raw.decode("utf-8", "replace"), newline="\n")):
        hunks = []
        for hunk in file:
            lines = [visible(f"{line.line_type}{line.value.rstrip(chr(10))}", LINE_LIMIT) for line in hunk]
            left += max(0, len(lines) - room)
            lines = lines[: max(0, room)]
            room -= len(lines)
            size += sum(map(len, lines))
            if lines:
                hunks.append({"old": hunk.source_start, "new": hunk.target_start, "lines": lines})
        files.append({"file": visible(file.path), "hunks": hunks})
    return DrawnPatch(tuple(files), left, size)
