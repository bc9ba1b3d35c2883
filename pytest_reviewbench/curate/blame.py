"""Which commit brought in the lines that a fix takes away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_reviewbench.corpus.sources.git_calls import Git
from pytest_reviewbench.errors import SourceError

HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+", re.MULTILINE)
ORIGIN = re.compile(rb"([0-9a-f]{40,64}) \d+ \d+")
NO_CODE = re.compile(rb"\s*(?:(?:#|//|/\*|\*).*|[\s{}()\[\];,]*)\Z", re.DOTALL)
"""Blank lines, comments and lone brackets: who wrote those says nothing."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The commit that most of the removed lines of code come from, and how many of them."""

    commit: str
    lines: int
    of: int


def origin(git: Git, parent: str, fix: str, files: Sequence[str]) -> Origin | None:
    """Where the lines come from that `fix` removes from `files` of its parent; None: it removes no code.

    None as well when they stand in files that were called otherwise then, or no commit has more than half of them.
    """
    counted: Counter[str] = Counter()
    for file in files:
        ranges = list(_removed(git, parent, fix, file))
        if ranges:
            counted.update(_authors(git, parent, file, ranges))
    if not counted:
        return None
    commit, lines = min(counted.items(), key=lambda item: (-item[1], item[0]))
    total = counted.total()
    return Origin(commit, lines, total) if commit and 2 * lines > total else None


def _removed(git: Git, parent: str, fix: str, file: str) -> Iterator[str]:
    """Ranges of lines for `git blame -L`."""
    patch = git.read(
        "diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", "-U0", parent, fix, "--", file
    )
    for start, count in HUNK.findall(patch):
        if length := int(count or b"1"):
            yield f"-L{int(start)},+{length}"


def _authors(git: Git, parent: str, file: str, ranges: Sequence[str]) -> Counter[str]:
    """Lines of code by commit; those that came in under another name of the file count for nobody."""
    words = ["blame", "--line-porcelain", "-w", "-M", "-C", *ranges, parent, "--", file]
    found: Counter[str] = Counter()
    commit = path = ""
    for line in git.read(*words).split(b"\n"):
        if line.startswith(b"\t"):
            if not NO_CODE.match(line[1:]):
                found[commit if path == file else ""] += 1
        elif line.startswith(b"filename "):
            path = line.removeprefix(b"filename ").decode("utf-8", "surrogateescape")
        elif header := ORIGIN.match(line):
            commit = header[1].decode()
    return found


def parent_of(git: Git, commit: str) -> str | None:
    """The first parent; None for the first commit, and for what is none."""
    try:
        return next(iter(git.parents(commit)), None)
    except SourceError:
        return None
