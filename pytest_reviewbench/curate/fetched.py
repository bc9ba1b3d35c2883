"""The pinned code of a whole corpus in the cache: every artefact, every tree, every change."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
from pytest_reviewbench.scoring.matcher import Search


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


def cases_there(
    folder: Path, ids: Collection[str] = (), search: Search | None = None, environ: Mapping[str, str] = os.environ
) -> tuple[dict[str, Case], dict[str, list[Problem]]]:
    """(the cases of the corpus in `folder` by id, what is wrong with those that cannot be read).

    Cases without a folder are left out, unless `ids` asks for them. With `search` the regexes are run, and what is
    odd about a case is said as well. Raises `CorpusError` for an index that cannot be read or an id that is not in
    it.
    """
    entries = {entry["id"]: entry["split"] for entry in read_index(folder)}
    for wanted in ids:
        if wanted not in entries:
            raise CorpusError(f"{folder / INDEX}: has no case {wanted[:80]!r}")
    seal = read_seal(folder, environ)
    cases: dict[str, Case] = {}
    problems: dict[str, list[Problem]] = {}
    for name in sorted(ids or (name for name in entries if (folder / name).exists())):
        try:
            cases[name], odd = load_case(folder, name, entries[name], search, seal)
        except (CorpusError, OSError) as e:
            problems[name] = [from_message(str(e), folder / name)]
            continue
        if search is not None and odd:
            problems[name] = [replace(from_message(one, folder / name), weight="warning") for one in odd]
    return cases, problems


def bring_cases(
    cases: Iterable[Case],
    cache: Cache,
    children: Children,
    *,
    offline: bool,
    jobs: int = JOBS,
    progress: Callable[[str], Progress],
) -> dict[str, list[Problem]]:
    """Artefacts, trees and changes of all `cases` that pin code, into the cache; what is wrong, by case id.

    A case with a problem keeps none of the others from being fetched. Raises `SourceError` when a registry or the
    cache cannot be used.
    """
    pinned = {case.id: case for case in cases if case.meta.source is not None}
    if not pinned:
        return {}
    counted = progress("artefacts fetched")
    problems = bring([*pinned.values()], cache, children, offline=offline, jobs=jobs, progress=counted)
    sources = {
        name: case.meta.source
        for name, case in pinned.items()
        if case.meta.source is not None and not errors(problems.get(name, ()))
    }
    for name, problem in _build(sources, cache, children, progress("trees and changes")).items():
        problems.setdefault(name, []).append(problem)
    return problems


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

    `progress` makes a callback for what is counted. Raises as `cases_there` and `bring_cases`.
    """
    cases, problems = cases_there(folder, ids)
    pins = {
        case.id: {artefact.sha256 for artefact in pins_of(case).values()}
        for case in cases.values()
        if case.meta.source is not None
    }
    there = {sha256 for pinned in pins.values() for sha256 in pinned if cache.artefact(sha256).exists()}
    problems |= bring_cases(cases.values(), cache, children, offline=offline, jobs=jobs, progress=progress)
    wanted = {sha256 for name, pinned in pins.items() if not errors(problems.get(name, ())) for sha256 in pinned}
    size = sum(cache.artefact(sha256).stat().st_size for sha256 in wanted)
    return Fetched(len(pins), len(wanted), len(wanted - there), size, problems)


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
