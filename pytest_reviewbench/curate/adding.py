"""Candidates -> cases of a corpus: everything is fetched and tried before the first of them is written."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pytest_reviewbench import codec
from pytest_reviewbench.contain.files import read_bounded
from pytest_reviewbench.corpus.index import OPEN, load_case, safe_path
from pytest_reviewbench.corpus.layout import META, PROOFS, TRUTH
from pytest_reviewbench.corpus.seal_key import Seal
from pytest_reviewbench.corpus.shown import show
from pytest_reviewbench.corpus.sources.materials import Material, materialise
from pytest_reviewbench.corpus.sources.registry import Progress
from pytest_reviewbench.curate.artefacts import CALL_SECONDS, bring
from pytest_reviewbench.curate.candidate import Candidate, CandidatePin, is_open
from pytest_reviewbench.curate.documents import case_documents
from pytest_reviewbench.curate.growth import NEUTRAL, Growth
from pytest_reviewbench.curate.lookup import Means, look_up
from pytest_reviewbench.curate.problem import errors
from pytest_reviewbench.curate.suggestions import language_of, prefix_of
from pytest_reviewbench.curate.truth_lint import code_lines
from pytest_reviewbench.errors import CorpusError, FormatError, ReviewbenchError
from pytest_reviewbench.model import ID_PATTERN, Case, Meta, Pin, Source, Split, Truth
from pytest_reviewbench.scoring.matcher import Search

PROOF_LIMIT = 2 << 20


@dataclass(frozen=True, slots=True)
class Draft:
    """A case that is not written yet. `files` are those that are there already: a proof, a committed change."""

    id: str
    candidate: Candidate
    lang: str
    source: Source | None
    files: Mapping[str, bytes]
    changed: Sequence[str]


@dataclass(frozen=True, slots=True)
class Added:
    """A new case; `open` says how many of its fields somebody must fill in."""

    id: str
    split: Split
    open: int


class Refused(ReviewbenchError):
    """Nothing was added; `mistakes` are all the reasons, one line each."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        super().__init__("; ".join(mistakes))
        self.mistakes = tuple(mistakes)


def draft(
    candidate: Candidate,
    growth: Growth,
    means: Means,
    *,
    beside: Path | None,
    case_id: str | None,
    offline: bool,
) -> Draft:
    """The case that `candidate` becomes, under `case_id`, its own neutral id, or the next free one.

    Its proof lies in the folder `<id>` of `beside`. Raises `ReviewbenchError`.
    """
    files = {}
    if not is_open(candidate.proof):
        name = candidate.proof or ""
        if name not in PROOFS or beside is None:
            raise CorpusError(f"$.proof: {name[:80]!r} is none of {', '.join(PROOFS)}")
        if not re.match(ID_PATTERN, candidate.id):
            raise CorpusError("$.id: is no name of a folder, and a proof lies in one beside the file")
        files[name] = read_bounded(beside / candidate.id / name, PROOF_LIMIT)
    for n, path in enumerate(candidate.files):
        if not safe_path(path):
            raise CorpusError(f"$.files[{n}]: {path[:200]!r} is not a path inside a tree")
    if candidate.primary_file is not None and candidate.primary_file not in candidate.files:
        raise CorpusError(f"$.primary_file: {candidate.primary_file[:200]!r} is none of $.files")
    source = _source(candidate, means, offline)
    lang = language_of(candidate.files) if is_open(candidate.lang) else candidate.lang or ""
    if case_id is None and NEUTRAL.match(candidate.id):
        case_id = candidate.id
    chosen = growth.next_id(prefix_of(lang)) if case_id is None else growth.claim(case_id)
    return Draft(chosen, candidate, lang, source, files, candidate.files)


def _source(candidate: Candidate, means: Means, offline: bool) -> Source:
    """The source of `candidate`, with the pins it names and those that must be looked up."""
    given = {"buggy": candidate.buggy, "fixed": candidate.fixed, "before": candidate.before}
    open_ = sorted({pin.name for pin in given.values() if pin is not None and not _is_whole(pin)})
    if open_ and offline:
        raise CorpusError(f"{candidate.origin} {open_[0]}: its sha256 is not given, so it must be fetched")
    found = _looked_up(candidate, open_, means) if open_ else {}
    plain = {
        "ecosystem": candidate.ecosystem,
        "package": candidate.package,
        "url": candidate.url,
        "files": candidate.files,
        # A clean control is an ordinary upgrade; turned round it would take something away.
        "mode": "forward" if candidate.clean else candidate.mode,
        **{name: _pin(pin, found) for name, pin in given.items() if pin is not None},
    }
    try:
        return codec.convert(plain, Source, "the candidate")
    except FormatError as e:
        raise CorpusError(str(e)) from None


def _is_whole(pin: CandidatePin) -> bool:
    return pin.sha256 is not None and (pin.commit is not None or pin.filename is not None)


def _pin(pin: CandidatePin, found: Mapping[str, Pin]) -> object:
    if _is_whole(pin):
        return {key: value for key, value in msgspec.to_builtins(pin).items() if value is not None}
    looked_up = found[pin.name]
    if pin.sha256 is not None and pin.sha256 != looked_up.sha256:
        raise CorpusError(f"{pin.name}: expected sha256 {pin.sha256}, got {looked_up.sha256}")
    return msgspec.to_builtins(looked_up)


def _looked_up(candidate: Candidate, names: Sequence[str], means: Means) -> Mapping[str, Pin]:
    with means.cache.locked(wait=4 * CALL_SECONDS):
        return look_up(candidate.ecosystem, candidate.origin, names, means)


def add_drafts(
    drafts: Sequence[Draft],
    growth: Growth,
    means: Means,
    search: Search,
    *,
    offline: bool,
    progress: Callable[[str], Progress],
) -> list[Added]:
    """Write every draft into the corpus that `growth` holds, or none: raises `Refused` with all that is wrong.

    Pinned code is fetched and its hashes compared; each case is loaded and shown as a session would.
    """
    blamed: dict[str, str] = {}
    pinned = [_stand_in(one) for one in drafts if one.source is not None]
    if pinned:
        fetched = bring(
            pinned, means.cache, means.children, offline=offline, progress=progress("artefacts fetched")
        )
        blamed = {name: str(wrong[0]) for name, found in fetched.items() if (wrong := errors(found))}
    written: dict[str, dict[str, bytes]] = {}
    for one in drafts:
        if one.id not in blamed:
            try:
                written[one.id] = _tried(one, means, search)
            except ReviewbenchError as e:
                blamed[one.id] = str(e)
    if blamed:
        raise Refused([f"{name}: {said.removeprefix(f'{name}: ')}" for name, said in sorted(blamed.items())])
    return [
        Added(
            name,
            growth.add(name, files),
            sum(files[name].count(f'"{OPEN}'.encode()) for name in (META, TRUTH)),
        )
        for name, files in written.items()
    ]


def _stand_in(one: Draft) -> Case:
    return Case(id=one.id, split="test", folder="", meta=Meta(lang="any", source=one.source), truth=Truth(bugs=()))


def _tried(one: Draft, means: Means, search: Search) -> dict[str, bytes]:
    """All files of the case, which a session can load and show. Raises `ReviewbenchError`."""
    material = None
    if one.source is not None:
        material = materialise({one.id: one.source}, means.cache, means.children, offline=True, timeout=1)[one.id]
    files = {
        **case_documents(one.candidate, one.source, one.lang, one.changed, _place(one, material)),
        **one.files,
    }
    with tempfile.TemporaryDirectory(prefix="ws") as made:
        for path, data in files.items():
            place = Path(made, one.id, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        try:
            case, _ = load_case(Path(made), one.id, "test", search, Seal())
            show(case, material)
        except CorpusError as e:
            raise CorpusError(str(e).replace(f"{made}/{one.id}/", "").replace(f"{made}/", "")) from None
    return files


def _place(one: Draft, material: Material | None) -> tuple[int, int] | None:
    """The lines of the bug, where the fix changes one place with code in it; of several a person must choose."""
    if material is None or material.fix_places is None or one.candidate.clean:
        return None
    file = one.candidate.primary_file or one.changed[0]
    places = material.fix_places.get(file, ())
    if len(places) != 1:
        return None
    first, last = places[0]
    code = code_lines((material.tree / file).read_bytes(), file)
    return (first, last) if any(code[first - 1 : last]) else None
