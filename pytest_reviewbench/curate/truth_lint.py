"""Does the truth of a case speak of code that is there, and is anything left open?"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

from pytest_reviewbench import codec
from pytest_reviewbench.contain.files import read_bounded
from pytest_reviewbench.corpus.case_files import proof_name, read_file
from pytest_reviewbench.corpus.index import OPEN
from pytest_reviewbench.corpus.layout import META, PROOFS, TRUTH
from pytest_reviewbench.corpus.patch import AROUND, overlaps
from pytest_reviewbench.corpus.shown import Shown
from pytest_reviewbench.corpus.sources.comments import scanned
from pytest_reviewbench.curate.problem import Problem
from pytest_reviewbench.model import Bug, Case

FILE_LIMIT = 16 << 20
CLASSES = ("trivial", "local", "cross-file")


def lint_open_fields(case: Case) -> Iterator[Problem]:
    """Fields of a skeleton that nobody has filled in."""
    for name in (META, TRUTH):
        value = codec.parse(read_file(case, name), name)
        for path in _open_paths(value, "$"):
            yield Problem(f"{name}: {path}", f"is still open ({OPEN}); fill it in")


def _open_paths(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, str):
        if value.startswith(OPEN):
            yield path
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _open_paths(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from _open_paths(inner, f"{path}[{n}]")


def lint_facts(case: Case) -> Iterator[Problem]:
    """What a case that others are to believe should say of itself."""
    meta = case.meta
    for name, given in (
        ("licence", meta.licence),
        ("upstream", meta.upstream or meta.url),
        ("published", meta.published),
        ("why_clean", meta.why_clean or not case.clean),
        ("symptom", meta.symptom or case.clean),
    ):
        if not given:
            yield Problem(f"{META}: $.{name}", "is missing", "warning")
    if meta.published is not None and not _is_date(meta.published):
        yield Problem(f"{META}: $.published", "is no date")
    if not case.clean and meta.class_ not in CLASSES:
        yield Problem(f"{META}: $.class", f"is none of {', '.join(CLASSES)}", "warning")
    if not case.clean and proof_name(case) is None:
        yield Problem(PROOFS[0], "is missing: nothing shows that the bug is there", "warning")
    for n, bug in enumerate(case.truth.bugs):
        for name in ("bug", "example", "severity", "category", "file", "line"):
            if getattr(bug, name) is None:
                yield Problem(f"{TRUTH}: $.bugs[{n}].{name}", "is missing", "warning")


def _is_date(text: str) -> bool:
    try:
        datetime.date.fromisoformat((text + "-01-01")[:10] if len(text) < 10 else text)
    except ValueError:
        return False
    return True


def lint_places(case: Case, shown: Shown) -> Iterator[Problem]:
    """Bugs whose lines hold no code of the tree that the reviewer sees, or lie far from the change."""
    for n, bug in enumerate(shown.bugs):
        if bug.line is None or bug.file is None:
            continue
        where = f"{TRUTH}: $.bugs[{n}].line"
        file = (shown.tree or {}).get(bug.file)
        if file is not None:
            yield from _lint_lines(bug, read_bounded(file, FILE_LIMIT), where)
        if not shown.patch.near(bug.file, bug.line, bug.end_line):
            yield Problem(where, f"is more than {AROUND} lines away from the change that is shown", "warning")
        places = (shown.fix_places or {}).get(bug.file)
        if places and not overlaps(places, bug.line, bug.end_line, AROUND):
            yield Problem(where, f"is more than {AROUND} lines away from what the fix changes", "warning")


def _lint_lines(bug: Bug, source: bytes, where: str) -> Iterator[Problem]:
    assert bug.line is not None
    code = code_lines(source, bug.file or "")
    last = bug.end_line or bug.line
    if last > len(code):
        yield Problem(where, f"the file has {len(code)} lines, the bug stands at {bug.line} to {last}")
    elif not any(code[bug.line - 1 : last]):
        yield Problem(where, "touches no line of code: blank lines and comments have no bugs")


def code_lines(source: bytes, filename: str) -> list[bool]:
    """For every line: does it hold anything but blanks and comments?"""
    (scan,) = scanned([source], filename)
    plain = bytearray(source)
    for span in scan.comments:
        plain[span.start : span.end] = bytes(
            byte if byte in b"\r\n" else 32 for byte in source[span.start : span.end]
        )
    return [bool(line.strip()) for line in bytes(plain).removesuffix(b"\n").split(b"\n")]
