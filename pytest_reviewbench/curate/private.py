"""A change that is committed with its case: the patch of somebody's own code, and the files it leads to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_reviewbench.contain.files import read_bounded
from pytest_reviewbench.corpus.index import safe_path
from pytest_reviewbench.corpus.layout import CONTEXT, PATCH
from pytest_reviewbench.corpus.patch import LIMIT, parse_patch
from pytest_reviewbench.corpus.shown import Shown
from pytest_reviewbench.corpus.sources.diff import lines_of
from pytest_reviewbench.curate.problem import Problem
from pytest_reviewbench.errors import CorpusError

FILE_LIMIT = 16 << 20
HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def committed(patch: Path, context: Path | None, more: Sequence[str]) -> tuple[dict[str, bytes], list[str]]:
    """(the files of a case that shows `patch`, the paths that the patch changes, sorted).

    From the folder `context` come the files of the patch and those of `more`, byte by byte. Raises `CorpusError`
    for a patch that is none, a file that is not there, and a context that is not what the patch leads to.
    """
    raw = read_bounded(patch, LIMIT)
    changed = parse_patch(raw, str(patch)).files
    files = {PATCH: raw}
    if context is None:
        return files, sorted(changed)
    if not context.is_dir():
        raise CorpusError(f"{context}: no such folder; --context=DIR holds the files as the change leaves them")
    after = dict(_after(raw))
    for path in sorted({*changed, *more}):
        if not safe_path(path):
            raise CorpusError(f"--file: {path[:200]!r} is not a path inside {context}")
        place = context / path
        if path in changed and path not in more and not place.exists() and not after.get(path):
            continue  # the change removes it
        if path.rpartition("/")[2] == "conftest.py":
            raise CorpusError(f"{place}: pytest would run a conftest.py in a corpus; take another change")
        data = read_bounded(place, FILE_LIMIT)
        first = _first_difference(data, after.get(path, ()))
        if first is not None:
            raise CorpusError(
                f"{place}: line {first} and those after it are not what {patch} leads to; --context=DIR "
                "holds the files as the change leaves them"
            )
        files[f"{CONTEXT}/{path}"] = data
    return files, sorted(changed)


def lint_committed(shown: Shown) -> Iterator[Problem]:
    """Files beside a committed change that are not what it leads to."""
    if shown.tree is None:
        return
    for path, hunks in _after(shown.patch_bytes):
        if path in shown.tree:
            first = _first_difference(read_bounded(shown.tree[path], FILE_LIMIT), hunks)
            if first is not None:
                yield Problem(PATCH, f"does not lead to {CONTEXT}/{path}: line {first} and those after it differ")


def _first_difference(data: bytes, hunks: Sequence[tuple[int, list[bytes]]]) -> int | None:
    """The first line (from 1) of the first hunk that is not in `data`; None: all are."""
    lines = lines_of(data)
    return next((first + 1 for first, wanted in hunks if lines[first : first + len(wanted)] != wanted), None)


def _after(raw: bytes) -> Iterator[tuple[str, list[tuple[int, list[bytes]]]]]:
    """Per file of a patch that was parsed before, the lines of the new side: (line from 0, lines) of each hunk."""
    path = ""
    hunks: list[tuple[int, list[bytes]]] = []
    old = new = 0
    for line in lines_of(raw):
        if old > 0 or new > 0:
            old -= line[:1] in (b"-", b" ", b"\n")
            if line[:1] in (b"+", b" ", b"\n"):
                new -= 1
                hunks[-1][1].append(line[1:] if line[:1] != b"\n" else line)
        elif line.startswith(b"\\") and hunks:
            _without_end(hunks[-1][1], line)
        elif line.startswith(b"+++ "):
            if path:
                yield path, hunks
            name = line[4:].rstrip(b"\r\n").partition(b"\t")[0].decode("utf-8", "replace")
            path, hunks = name.removeprefix("b/"), []
        elif found := HUNK.match(line):
            old, new = (1 if found[n] is None else int(found[n]) for n in (1, 3))
            hunks.append((max(0, int(found[2]) - 1), []))
    if path:
        yield path, hunks


def _without_end(lines: list[bytes], _marker: bytes) -> None:
    if lines:
        lines[-1] = lines[-1].removesuffix(b"\n")
