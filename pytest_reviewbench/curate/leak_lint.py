"""Does what the reviewer sees say what he is to find out?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_reviewbench.corpus.shown import Shown
from pytest_reviewbench.corpus.sources.comments import language_of
from pytest_reviewbench.corpus.sources.leaks import VERSION
from pytest_reviewbench.curate.problem import Problem
from pytest_reviewbench.errors import CorpusError
from pytest_reviewbench.model import Case
from pytest_reviewbench.scoring.matcher import Search, collapse

SHOWN = "the change"
"""Where these problems are: the patch as a reviewer gets it, committed or built."""

PIECE = 6
"""Lines of comments that are read together."""

NEWS = re.compile(r"(^|/)(change(s|log)|history|news|release[_-]?notes?)(\.\w+)?$", re.IGNORECASE)
TESTS = re.compile(
    r"(^|/)(tests?|specs?|__tests__)/|(^|/)test_[^/]*\.py$|[._]test\.\w+$|\.spec\.\w+$", re.IGNORECASE
)
REFERENCE = re.compile(
    r"\bCVE-\d{4}-\d+|\bGHSA(?:-\w{4}){3}|\b(?:fix(?:es|ed)?|closes?|issue|bpo|gh)[ :-]*#?\d{2,}", re.I
)
COMMENT = {
    "python": re.compile(r"#(.*)$|\"\"\"(.*)$|'''(.*)$"),
    "hash": re.compile(r"(?:^|\s)#(.*)$"),
    "shell": re.compile(r"(?:^|\s)#(.*)$"),
    "javascript": re.compile(r"(?:^|\s)//(.*)$|/\*(.*)$|^\s*\*(.*)$"),
    "slash": re.compile(r"(?:^|\s)//(.*)$|/\*(.*)$|^\s*\*(.*)$"),
}


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    sign: str
    text: str
    file: str


def lint_leaks(case: Case, shown: Shown, search: Search) -> Iterator[Problem]:
    """The case's id, notes of its release, versions, references and comments that name the bug."""
    patch = shown.patch_bytes.decode("utf-8", "replace")
    if case.id.lower() in patch.lower():
        yield Problem(SHOWN, "holds the id of the case")
    for file in sorted(shown.patch.files):
        if NEWS.search(file):
            yield Problem(SHOWN, f"shows {file}: what a release says of itself gives the answer away")
        elif TESTS.search(file):
            yield Problem(SHOWN, f"shows {file}: a test says what is expected", "warning")
    lines = list(_lines(patch))
    for line in lines:
        if line.sign != " " and VERSION.match(line.text.encode()):
            yield Problem(f"{SHOWN}: line {line.number}", "changes a version: it tells which way the change goes")
        if line.sign != " " and REFERENCE.search(line.text):
            yield Problem(f"{SHOWN}: line {line.number}", "refers to a report of a defect", "warning")
    yield from _comments(case, lines, search)


def _comments(case: Case, lines: list[_Line], search: Search) -> Iterator[Problem]:
    """Comments in which the matcher itself would find the bug, a few lines of them read in one piece."""
    said = [(line.number, text) for line in lines if (text := _comment(line))]
    for n, bug in enumerate(case.truth.bugs):
        for at, (number, _) in enumerate(said):
            piece = " ".join(text for other, text in said[at : at + PIECE] if other - number < PIECE)
            try:
                named = bug.match is not None and search(bug.match, collapse(piece))
            except CorpusError:
                return  # the lint of the matchers says it
            if named:
                yield Problem(f"{SHOWN}: line {number}", f"a comment satisfies $.bugs[{n}].match: it names the bug")
                break


def _comment(line: _Line) -> str:
    pattern = COMMENT.get(language_of(b"", line.file))
    found = pattern.search(line.text) if pattern else None
    return " ".join(filter(None, found.groups())).strip() if found else ""


def _lines(patch: str) -> Iterator[_Line]:
    """The lines inside hunks, without their sign."""
    file = ""
    for number, line in enumerate(patch.split("\n"), 1):
        if line.startswith("+++ "):
            file = line[4:].split("\t")[0].strip().removeprefix("b/")
        elif line.startswith("--- "):
            file = line[4:].split("\t")[0].strip().removeprefix("a/")
        elif line[:1] in ("+", "-", " "):
            yield _Line(number, line[:1], line[1:], file)
