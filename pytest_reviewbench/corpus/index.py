"""A corpus folder -> validated cases. Everything here treats the folder as hostile text."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from pytest_reviewbench import codec
from pytest_reviewbench.answers.normalise import SEVERITY_WORDS
from pytest_reviewbench.arm_spec import RESERVED
from pytest_reviewbench.contain.files import read_bounded
from pytest_reviewbench.corpus.layout import (
    CONTEXT,
    INDEX,
    INDEX_LIMIT,
    META,
    PATCH,
    PROOFS,
    RECIPIENT,
    SEALED,
    TRUTH,
)
from pytest_reviewbench.corpus.loaded import Corpus, LockedCase
from pytest_reviewbench.corpus.seal import Locked, is_sealed, open_case
from pytest_reviewbench.corpus.seal_key import Seal, read_seal
from pytest_reviewbench.errors import CorpusError, FormatError, one_line
from pytest_reviewbench.model import ID_PATTERN, SPLITS, Bug, Case, Entry, Meta, Split, Truth
from pytest_reviewbench.scoring.matcher import Search, collapse

OPEN = "TODO"
"""How a skeleton marks a field that somebody must fill in."""

JSON_LIMIT = 2 << 20
KNOWN_FILES = frozenset({PATCH, TRUTH, META, CONTEXT, SEALED, *PROOFS, "README.md", "__pycache__"})
"""Installers compile what ends in .py and comes in a wheel."""
KNOWN_AT_THE_TOP = frozenset(
    {INDEX, RECIPIENT, "README.md", "README", "LICENSE", ".gitignore", ".gitattributes", ".git"}
)


def read_index(folder: Path) -> list[dict[str, Any]]:
    """The entries of the corpus index as they stand, each one checked. Raises `CorpusError`."""
    index = folder / INDEX
    if not folder.is_dir():
        raise CorpusError(f"{folder}: no such corpus folder; name one with --reviewbench-corpus=DIR")
    if not index.exists() and not index.is_symlink():
        raise CorpusError(f"{index}: missing; a corpus has an index that lists its cases")
    try:
        entries = codec.parse(read_bounded(index, INDEX_LIMIT), str(index))
        if not isinstance(entries, list):
            raise CorpusError(f"{index}: $: expected a list of {{id, split}}")
        seen: dict[str, int] = {}
        for n, entry in enumerate(entries):
            if isinstance(entry, dict) and isinstance(side := entry.get("split"), str) and side not in SPLITS:
                raise CorpusError(f"{index}: $[{n}].split: {side[:40]!r} is no split; write {' or '.join(SPLITS)}")
            case_id = codec.convert(entry, Entry, f"{index}: entry {n}").id
            if not re.match(ID_PATTERN, case_id):
                raise CorpusError(
                    f"{index}: $[{n}].id: {case_id[:80]!r} is not a case id; use 1 to 64 letters, digits, "
                    "'.', '_' or '-', starting with a letter or digit"
                )
            if RESERVED.search(case_id):
                raise CorpusError(f"{index}: $[{n}].id: {case_id!r} ends in a reserved suffix (.twin, .rN)")
            twin = seen.setdefault(case_id.lower(), n)
            if twin != n:
                raise CorpusError(f"{index}: $[{n}].id: {case_id!r} stands already at $[{twin}]")
    except FormatError as e:
        raise CorpusError(_list_path(str(e))) from None
    return entries


def load_corpus(folder: Path, search: Search | None, environ: Mapping[str, str] = os.environ) -> Corpus:
    """Read and validate every case of `folder` that is there.

    `search` runs the regexes of the corpus, bounded; None skips that part (another process has done it). `environ`
    may hold the key of a sealed corpus. Raises `CorpusError` naming file and JSON path of the first thing wrong.
    """
    entries = read_index(folder)
    try:
        return _loaded(folder, entries, search, read_seal(folder, environ))
    except OSError as e:
        raise CorpusError(f"{e.filename or folder}: cannot be read: {e.strerror}") from None


def _loaded(folder: Path, entries: list[dict[str, Any]], search: Search | None, seal: Seal) -> Corpus:
    cases: dict[str, Case] = {}
    locked: dict[str, LockedCase] = {}
    absent: list[str] = []
    warnings: list[str] = []
    with os.scandir(folder) as found:
        there = {entry.name for entry in found}
    for case_id, split in sorted((entry["id"], entry["split"]) for entry in entries):
        if case_id not in there:
            absent.append(case_id)
            continue
        try:
            case, odd = load_case(folder, case_id, split, search, seal)
        except Locked as e:
            locked[case_id] = LockedCase(split, e.hashes, str(e))
            continue
        _refuse_skeleton(case)
        cases[case_id] = case
        warnings.extend(odd)
    if locked:
        warnings.append(f"{folder}: {len(locked)} sealed cases are left out: {seal.lacking}")
    known = KNOWN_AT_THE_TOP.union(cases, absent, locked)
    warnings += [f"{folder / name}: not in the index, ignored" for name in sorted(there - known)]
    return Corpus(folder, cases, tuple(absent), tuple(one_line(warning) for warning in warnings), locked)


def _refuse_skeleton(case: Case) -> None:
    """Raise for a case that nobody has finished: what its `match` does not find would count as missed."""
    said = [text for bug in case.truth.bugs for text in (bug.match, bug.bug, bug.example)]
    if any(text is not None and text.startswith(OPEN) for text in (*said, case.meta.symptom, case.meta.why_clean)):
        raise CorpusError(
            f"{case.folder}: is a skeleton with open fields ({OPEN}); reviewbench corpus check {case.id} names them"
        )


def load_case(
    folder: Path, case_id: str, split: Split, search: Search | None, seal: Seal
) -> tuple[Case, list[str]]:
    """The case in `folder`, validated, and what is odd about it.

    Raises `Locked` for a sealed one without a key, `CorpusError` and `OSError`.
    """
    home = f"{folder}/{case_id}"
    if os.path.islink(home):  # noqa: PTH114
        raise CorpusError(f"{home}: is a link; a corpus holds its files itself")
    if not os.path.isdir(home):  # noqa: PTH112
        raise CorpusError(f"{home}: is not a folder; every case is one")
    warnings: list[str] = []
    sealed = open_case(home, case_id, seal) if is_sealed(home) else {}
    case = Case(
        id=case_id,
        split=split,
        folder=home,
        meta=_read(f"{home}/{META}", Meta, warnings.append, sealed.get(META)),
        truth=_read(f"{home}/{TRUTH}", Truth, warnings.append, sealed.get(TRUTH)),
        sealed=sealed,
        recipient=seal.recipient if split == "test" else None,
    )
    case, odd = _checked(case, search)
    return case, [*warnings, *odd]


def _read(path: str, kind: type[Any], warn: Callable[[str], None], raw: bytes | None) -> Any:
    """The record in the file `path`, whose content is `raw` where it is sealed."""
    if raw is None and not os.path.lexists(path):
        raise CorpusError(f"{path}: missing; every case has {TRUTH} and {META}")
    try:
        value = codec.parse(read_bounded(path, JSON_LIMIT) if raw is None else raw, path)
        record = codec.convert(_with_known_severities(value), kind, path)
    except FormatError as e:
        raise CorpusError(str(e)) from None
    if kind is Truth:  # a misspelt key of the truth changes numbers; the metadata's unknown keys are the user's own
        for key in codec.unknown_keys(value, kind):
            warn(f"{path}: {key}: unknown key, ignored")
    return record


def _with_known_severities(value: Any) -> Any:
    """A truth whose severities are ours: the original format also knows `nit` and `blocker`."""
    if not isinstance(value, dict) or not isinstance(value.get("bugs"), list):
        return value
    bugs = [
        bug | {"severity": SEVERITY_WORDS.get(bug["severity"].lower(), bug["severity"])}
        if isinstance(bug, dict) and isinstance(bug.get("severity"), str)
        else bug
        for bug in value["bugs"]
    ]
    return value | {"bugs": bugs}


def _checked(case: Case, search: Search | None) -> tuple[Case, list[str]]:
    """`case` with its bugs numbered where the original format left that open, and what is odd about it."""
    home = case.folder
    names = _file_names(home)
    warnings = [f"{home}/{name}: unknown file, ignored" for name in names if name not in KNOWN_FILES]
    shows = PATCH in names or case.meta.source is not None
    if shows and case.meta.no_change is not None:
        raise CorpusError(f"{home}/{META}: $.no_change: there is a {PATCH} or a source; leave one of them out")
    if not shows and case.meta.no_change is None:
        raise CorpusError(
            f"{home}: has neither {PATCH} nor a source in {META}; a case shows a change, or says there why it has "
            "none (no_change)"
        )
    for n, path in enumerate(case.meta.source.files if case.meta.source else ()):
        if not safe_path(path):
            raise CorpusError(f"{home}/{META}: $.source.files[{n}]: {path[:200]!r} is not a path inside a tree")
    bugs, taken = [], set()
    for n, bug in enumerate(case.truth.bugs):
        where = f"{home}/{TRUTH}: $.bugs[{n}]"
        if bug.id is None:
            bug = msgspec.structs.replace(bug, id=str(n + 1))
            warnings.append(f"{where}.id: missing, numbered {bug.id}")
        if bug.id in taken:
            raise CorpusError(f"{where}.id: {bug.id!r} stands twice")
        taken.add(bug.id)
        if bug.file is not None and not safe_path(bug.file):
            raise CorpusError(f"{where}.file: {bug.file[:200]!r} is not a path inside a tree")
        if bug.end_line is not None and (bug.line is None or bug.end_line < bug.line):
            raise CorpusError(f"{where}.end_line: {bug.end_line} is before line {bug.line}")
        _check_regex(bug, where, search)
        bugs.append(bug)
    truth = msgspec.structs.replace(case.truth, bugs=tuple(bugs))
    return msgspec.structs.replace(case, truth=truth), warnings


def _check_regex(bug: Bug, where: str, search: Search | None) -> None:
    if search is None or bug.match is None:
        return
    try:
        named = search(bug.match, collapse(bug.example or ""))
    except CorpusError as e:
        raise CorpusError(f"{where}.match: {e}") from None
    if bug.example is not None and not named:
        raise CorpusError(f"{where}.match: does not match the example that stands beside it")


def _file_names(home: str) -> list[str]:
    with os.scandir(home) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.is_symlink():
            raise CorpusError(f"{entry.path}: is a link; a corpus holds its files itself")
    return [entry.name for entry in entries]


def _list_path(message: str) -> str:
    """`entry 3: $.split` as the JSON path of the whole document: `$[3].split`."""
    return re.sub(r": entry (\d+): \$", r": $[\1]", message)


def safe_path(path: str) -> bool:
    """Is `path` a plain relative POSIX path that stays inside its tree?"""
    return (
        0 < len(path) <= 1000
        and path == posixpath.normpath(path)
        and path.isprintable()
        and "\\" not in path
        and not path.startswith(("/", "../"))
        and path not in (".", "..")
    )
