"""A unified diff as the rest of the program needs it: which files, which lines of the new side.

Lines end at a line feed only: a carriage return or a Unicode line separator inside a line is content.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass

from unidiff import PatchedFile, PatchSet, UnidiffParseError

from pytest_reviewbench.errors import CorpusError

LIMIT = 8 << 20
HEADER_LIMIT = 2_100
HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
AROUND = 3
"""Lines beside a change that still belong to it (an analyser may complain one line below the cause)."""


@dataclass(frozen=True, slots=True)
class Patch:
    """The files of a change and, per file, the places it touches as 1-based inclusive ranges of the new side.

    A pure deletion touches the two lines that now stand beside each other. Removed files have no places.
    """

    places: Mapping[str, tuple[tuple[int, int], ...]]

    @property
    def files(self) -> frozenset[str]:
        return frozenset(self.places)

    def near(self, file: str | None, line: int | None, end_line: int | None = None) -> bool:
        """Is this place within `AROUND` lines of a change? A finding for a whole file is near if the file is."""
        if file is None or file not in self.places:
            return False
        return line is None or overlaps(self.places[file], line, end_line, AROUND)


def overlaps(places: tuple[tuple[int, int], ...], line: int, end_line: int | None = None, around: int = 0) -> bool:
    """Do the lines `line`..`end_line` come within `around` lines of one of `places`?"""
    last = max(line, end_line or line)
    return any(first - around <= last and line <= end + around for first, end in places)


def parse_patch(raw: bytes, where: str) -> Patch:
    """Read a patch. Raises `CorpusError` naming `where` when it is not UTF-8-ish text with at least one change.

    Bytes that are not UTF-8 in reviewed code are allowed: they are read with replacement.
    """
    if len(raw) > LIMIT:
        raise CorpusError(f"{where}: larger than {LIMIT:,} bytes ({len(raw):,}); make the change smaller")
    text = raw.decode("utf-8", "replace")
    for line in text.split("\n"):
        # unidiff's regexes for these lines take cubic time, and a longer one names no file of any system.
        if len(line) > HEADER_LIMIT and line.startswith(("diff --git ", "Binary file")):
            raise CorpusError(f"{where}: a header line of {len(line):,} characters; at most {HEADER_LIMIT:,}")
    _refuse_stray_lines(text, where)
    try:
        patched = PatchSet(io.StringIO(text, newline="\n"))
    except (UnidiffParseError, ValueError, IndexError, RecursionError) as e:
        raise CorpusError(f"{where}: not a unified diff: {e or type(e).__name__}") from None
    places: dict[str, tuple[tuple[int, int], ...]] = {}
    for file in patched:
        path = _path(file.path, where)
        if path in places:
            raise CorpusError(f"{where}: changes {path!r} twice; join the two parts")
        places[path] = _places(file)
    if not any(f.added or f.removed or f.is_rename or f.is_binary_file for f in patched):
        raise CorpusError(f"{where}: holds no change in unified diff form")
    return Patch(places)


def _refuse_stray_lines(text: str, where: str) -> None:
    """Raise for changed lines behind a hunk whose header counts fewer: unidiff would drop them without a word."""
    old = new = 0
    after_hunk = False
    for number, line in enumerate(text.split("\n"), 1):
        if old > 0 or new > 0:
            old -= line[:1] in ("-", " ", "", "\r")
            new -= line[:1] in ("+", " ", "", "\r")
            after_hunk = True
        elif header := HUNK.match(line):
            old, new = (1 if count is None else int(count) for count in header.groups())
        elif after_hunk and line[:1] in ("+", "-", " ") and not line.startswith(("--- ", "+++ ", "-- ")):
            raise CorpusError(
                f"{where}: line {number} stands behind its hunk; the counts of the hunk are too small"
            )
        elif not line.startswith("\\"):
            after_hunk = False


def _path(path: str, where: str) -> str:
    path = path.rstrip("\r")
    parts = path.split("/")
    if not path or path.startswith("/") or ".." in parts or "\\" in path or not path.isprintable():
        raise CorpusError(f"{where}: the path {path!r} does not stay inside the reviewed tree")
    return path


def _places(file: PatchedFile) -> tuple[tuple[int, int], ...]:
    touched: set[int] = set()
    for hunk in file:
        last = hunk.target_start - 1 if hunk.target_length else hunk.target_start
        added: list[int] = []
        removed = False
        for line in [*hunk, None]:
            if line is not None and line.is_added:
                added.append(line.target_line_no)
            elif line is not None and line.is_removed:
                removed = True
            elif line is None or line.is_context:  # a block of changed lines has ended
                if added or removed:
                    touched |= set(added) or {max(1, last), last + 1}
                    added, removed = [], False
                last = line.target_line_no if line is not None else last
    ranges: list[tuple[int, int]] = []
    for number in sorted(touched):
        if ranges and number <= ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return () if file.is_removed_file else tuple(ranges)
