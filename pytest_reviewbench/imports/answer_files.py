"""Somebody's answers as files: one JSON object with the findings of each case, or a file per case."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_reviewbench import codec
from pytest_reviewbench.answers import formats
from pytest_reviewbench.errors import FormatError, SettingsError, did_you_mean
from pytest_reviewbench.imports.reading import expect_object, read_bytes
from pytest_reviewbench.redact import redacted

Items = Sequence[Mapping[str, Any]]
Reader = Callable[[bytes, str], tuple[Items, Sequence[str]]]
"""(document, its name for errors) -> items and warnings. Raises `FormatError`."""

JSON = "json"


def _reader(read: formats.Reader) -> Reader:
    def parsed(raw: bytes, where: str) -> tuple[Items, Sequence[str]]:
        found = read(raw, where, None)
        return found.items, found.warnings

    return parsed


READERS: Mapping[str, Reader] = {word: _reader(read) for word, read in formats.READERS.items()}
"""By the word for `--format`."""


@dataclass(frozen=True, slots=True)
class AnswerOf:
    """What somebody answered to one case: items, or why they cannot be read. `raw` is it as it came."""

    raw: str
    items: Items = ()
    warnings: Sequence[str] = ()
    unparsable: str | None = None


@dataclass(frozen=True, slots=True)
class Answers:
    """All answers by case id, and the sha256 of the files they are from, by name (a folder's: of its listing)."""

    by_case: Mapping[str, AnswerOf]
    files: Mapping[str, str] = field(default_factory=dict)


def read_answers(paths: Sequence[Path], known: Collection[str], format_: str = JSON) -> Answers:
    """The answers in `paths`: folders with a file per case (`<case id>.*`), such files, or JSON objects by case id.

    `known` are the ids of the corpus. An answer that cannot be read is one that is unparsable; a file that says
    nothing of any case is a `FormatError`, and so is an unknown case, or one that is answered twice.
    """
    if format_ not in READERS:
        raise SettingsError(f"--format: {format_[:40]!r} is not known{did_you_mean(format_, [*READERS])}")
    found: dict[str, AnswerOf] = {}
    files: dict[str, str] = {}
    for path in paths:
        if not path.exists():
            raise FormatError(f"{path}: no such file or folder")
        made, digest = _of_folder(path, known, format_) if path.is_dir() else _of_file(path, known, format_)
        name = redacted(path.resolve().name)
        if name in files:
            raise FormatError(f"{path}: two files are called {name}; name each one once")
        files[name] = digest
        for case, answer in made.items():
            if case in found:
                raise FormatError(f"{path}: answers the case {case!r}, which another file answers as well")
            found[case] = answer
    return Answers(dict(sorted(found.items())), files)


def _of_folder(folder: Path, known: Collection[str], format_: str) -> tuple[dict[str, AnswerOf], str]:
    found: dict[str, AnswerOf] = {}
    listing = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.is_dir():
            continue
        case = _case_of(path, known)
        if case is None:
            raise FormatError(f"{path}: its name is no case of the corpus{did_you_mean(path.stem, sorted(known))}")
        if case in found:
            raise FormatError(f"{path}: the folder has two files for the case {case!r}")
        raw = read_bytes(path)
        listing.update(f"{path.name}\0{hashlib.sha256(raw).hexdigest()}\n".encode())
        found[case] = _answer(raw, str(path), format_)
    if not found:
        raise FormatError(f"{folder}: has no file; a folder has one per case, named by its id")
    return found, listing.hexdigest()


def _of_file(path: Path, known: Collection[str], format_: str) -> tuple[dict[str, AnswerOf], str]:
    raw = read_bytes(path)
    digest = hashlib.sha256(raw).hexdigest()
    if (case := _case_of(path, known)) is not None:
        return {case: _answer(raw, str(path), format_)}, digest
    if format_ != JSON:
        raise FormatError(f"{path}: its name is no case of the corpus; {format_} files are named by their case")
    where = f"{path}: $"
    found = {}
    for case, value in expect_object(codec.parse(raw, str(path), mend_surrogates=True), where).items():
        if case not in known:
            raise FormatError(f"{where}: the corpus has no case {case[:80]!r}{did_you_mean(case, sorted(known))}")
        found[case] = _answer(codec.encode(value), f"{where}.{case}", format_)
    if not found:
        raise FormatError(f"{where}: names no case; expected {{case id: [findings]}}")
    return found, digest


def _case_of(path: Path, known: Collection[str]) -> str | None:
    """The case that a file is named by: `py-0007.json`, `py-0007`, `py-0007.sarif.json`."""
    name = path.name
    while name and name not in known:
        name, dot, _ = name.rpartition(".")
        if not dot:
            return None
    return name or None


def _answer(raw: bytes, where: str, format_: str) -> AnswerOf:
    text = raw.decode("utf-8", "replace")
    try:
        items, warnings = READERS[format_](raw, where)
    except FormatError as e:
        return AnswerOf(text, unparsable=str(e))
    return AnswerOf(text, items, warnings)
