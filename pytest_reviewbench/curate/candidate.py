"""A proposed case: what a candidates file says of it, complete or with open fields."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta as Rule

from pytest_reviewbench import codec
from pytest_reviewbench.contain.files import read_bounded
from pytest_reviewbench.corpus.index import OPEN
from pytest_reviewbench.errors import CorpusError, FormatError
from pytest_reviewbench.model import COMMIT_PATTERN, URL_PATTERN, PackageName, Record, Sha256

LIMIT = 32 << 20


class CandidatePin(Record, frozen=True, kw_only=True):
    """A version or a commit; what is missing of its pin is looked up."""

    version: str | None = None
    filename: str | None = None
    commit: Annotated[str, Rule(pattern=COMMIT_PATTERN)] | None = None
    sha256: Sha256 | None = None

    @property
    def name(self) -> str:
        return self.version or self.commit or ""


class Candidate(Record, frozen=True, kw_only=True):
    """One entry of a candidates file. Text that begins with TODO is open, and so is what a bug needs and is null.

    `proof` is the name of a file in the folder `<id>` beside the candidates file. A candidate with the category
    `clean` is a clean control.
    """

    id: str
    ecosystem: Literal["pypi", "npm", "git"]
    buggy: CandidatePin
    fixed: CandidatePin
    files: Annotated[tuple[str, ...], Rule(min_length=1, max_length=200)]
    before: CandidatePin | None = None
    package: PackageName | None = None
    url: Annotated[str, Rule(pattern=URL_PATTERN)] | None = None
    mode: Literal["reverse-fix", "intro", "forward"] = "reverse-fix"
    lang: str | None = None
    licence: str | None = None
    upstream_url: str | None = None
    primary_file: str | None = None
    class_: str | None = msgspec.field(default=None, name="class")
    symptom: str | None = None
    bug: str | None = None
    match: str | None = None
    example: str | None = None
    category: str | None = None
    severity: str | None = None
    reference: str | None = None
    published: str | None = None
    proof: str | None = None
    proof_needs: tuple[str, ...] = ()
    analyser: Mapping[str, Any] | tuple[Mapping[str, Any], ...] | None = None
    why_clean: str | None = None
    notes: Mapping[str, Any] = msgspec.field(default_factory=dict)

    @property
    def clean(self) -> bool:
        return self.category == "clean"

    @property
    def origin(self) -> str:
        return self.package or self.url or ""


def is_open(text: str | None) -> bool:
    """Must somebody still fill this in?"""
    return not text or text.startswith(OPEN)


def read_candidates(file: Path, ids: Collection[str] = ()) -> list[Candidate]:
    """The candidates of `file`, or those of `ids`. Raises `CorpusError` that names the first entry that is none."""
    try:
        entries = codec.parse(read_bounded(file, LIMIT), str(file))
        if not isinstance(entries, list):
            raise CorpusError(f"{file}: $: expected a list of candidates")
        known = [entry.get("id") if isinstance(entry, dict) else None for entry in entries]
        for wanted in ids:
            if wanted not in known:
                raise CorpusError(f"{file}: has no candidate {wanted[:80]!r}")
        twice = {name for name in known if name is not None and known.count(name) > 1}
        if twice:
            raise CorpusError(f"{file}: the id {min(map(str, twice))[:80]!r} stands twice")
        return [
            codec.convert(entry, Candidate, f"{file}: {known[n] or f'entry {n}'}")
            for n, entry in enumerate(entries)
            if not ids or known[n] in ids
        ]
    except FormatError as e:
        raise CorpusError(str(e)) from None
