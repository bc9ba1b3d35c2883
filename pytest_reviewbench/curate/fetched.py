"""The pinned code of a whole corpus in the cache: every artefact, every tree, every change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.corpus.index import load_case, read_index
from pytest_reviewbench.corpus.layout import INDEX
from pytest_reviewbench.corpus.seal_key import read_seal
from pytest_reviewbench.corpus.sources.cache import Cache
from pytest_reviewbench.corpus.sources.fetch import JOBS
from pytest_reviewbench.corpus.sources.materials import materialise
from pytest_reviewbench.corpus.sources.registry import Progress
from pytest_reviewbench.curate.artefacts import CALL_SECONDS, bring, pins_of
from pytest_reviewbench.curate.problem import Problem, errors, from_message
from pytest_reviewbench.errors import CorpusError, SourceError
from pytest_reviewbench.model import Case, Source


@dataclass(frozen=True, slots=True)
class Fetched:
    """What is there now: how many cases have pinned code, and the artefacts of those that have no problem.

    `arrived` of them were not in the cache before; `size` is that of all of them, in bytes.
    """

    cases: int
    artefacts: int
    arrived: int
    size: int
    problems: Mapping[str, Sequence[Problem]]


def cases_there(folder: Path, ids: Collection[str] = ()) -> tuple[dict[str, Case], dict[str, list[Problem]]]:
    """(the cases of the corpus in `folder` by id, what is wrong with those that cannot be read).

    Cases without a folder are left out, unless `ids` asks for them. Raises `CorpusError` for an index that cannot
    be read or an id that is not in it.
    """
    entries = {entry["id"]: entry["split"] for entry in read_index(folder)}
    for wanted in ids:
        if wanted not in entries:
            raise CorpusError(f"{folder / INDEX}: has no case {wanted[:80]!r}")
    seal = read_seal(folder)
    cases, problems = {}, {}
    for name in sorted(ids or (name for name in entries if (folder / name).exists())):
        try:
            cases[name] = load_case(folder, name, entries[name], None, seal)[0]
        except (CorpusError, OSError) as e:
            problems[name] = [from_message(str(e), folder / name)]
    return cases, problems


def fetch_corpus(
    folder: Path,
    ids: Collection[str],
    cache: Cache,
    children: Children,
    *,
    offline: bool,
    jobs: int = JOBS,
    progress: Callable[[str], Progress],
) -> Fetched:
    """Everything that the cases of the corpus in `folder` (or those of `ids`) pin, also what only proofs need.

    A case with a problem keeps none of the others from being fetched. `progress` makes a callback for what is
    counted. Raises `CorpusError` for the index, `SourceError` when a registry or the cache cannot be used.
    """
    cases, problems = cases_there(folder, ids)
    pinned = [case for case in cases.values() if case.meta.source is not None]
    there = {a.sha256 for case in pinned for a in pins_of(case).values() if cache.artefact(a.sha256).exists()}
    if pinned:
        found = bring(pinned, cache, children, offline=offline, jobs=jobs, progress=progress("artefacts fetched"))
        for name, said in found.items():
            problems.setdefault(name, []).extend(said)
    sources = {
        case.id: case.meta.source
        for case in pinned
        if case.meta.source is not None and not errors(problems.get(case.id, ()))
    }
    for name, problem in _build(sources, cache, children, progress("trees and changes")).items():
        problems.setdefault(name, []).append(problem)
    wanted = {a.sha256 for case in pinned if case.id in sources for a in pins_of(case).values()}
    size = sum(cache.artefact(sha256).stat().st_size for sha256 in wanted)
    return Fetched(len(pinned), len(wanted), len(wanted - there), size, problems)


def _build(
    sources: Mapping[str, Source], cache: Cache, children: Children, progress: Progress
) -> dict[str, Problem]:
    """What is wrong with the cases whose trees or changes cannot be made."""

    def make(some: Mapping[str, Source]) -> None:
        materialise(some, cache, children, offline=True, timeout=CALL_SECONDS, progress=progress)

    try:
        make(sources)
    except SourceError:
        blamed = {}
        for name, source in sources.items():
            try:
                make({name: source})
            except SourceError as e:
                blamed[name] = from_message(str(e).removeprefix(f"{name}: "), folder="")
        return blamed
    return {}
