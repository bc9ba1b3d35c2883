"""Checks a whole corpus: every case, whatever is wrong with the others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_reviewbench.corpus.index import load_case, read_index
from pytest_reviewbench.corpus.layout import INDEX, refuse_code
from pytest_reviewbench.corpus.seal_key import Seal, read_seal
from pytest_reviewbench.corpus.shown import Shown
from pytest_reviewbench.corpus.sources.registry import Progress
from pytest_reviewbench.curate.artefacts import bring
from pytest_reviewbench.curate.canary import lint_canary, lint_seal
from pytest_reviewbench.curate.leak_lint import lint_leaks
from pytest_reviewbench.curate.matcher_lint import Example, examples, lint_matchers
from pytest_reviewbench.curate.private import lint_committed
from pytest_reviewbench.curate.problem import Problem, errors, from_message
from pytest_reviewbench.curate.prove import Means, Proved, prove
from pytest_reviewbench.curate.truth_lint import lint_facts, lint_open_fields, lint_places
from pytest_reviewbench.errors import CorpusError, ReviewbenchError
from pytest_reviewbench.launch import prepare_cases, show_case
from pytest_reviewbench.model import Case, Split
from pytest_reviewbench.scoring.matcher import Search

TEST_MODULES = ("test_*.py", "*_test.py")
"""What pytest takes for tests unless it is told otherwise: a session refuses a corpus that holds any."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What is known of one case. `proved` is None where no proof was asked for."""

    id: str
    split: Split
    clean: bool | None
    problems: tuple[Problem, ...] = ()
    proved: Proved | None = None

    @property
    def sound(self) -> bool:
        return not errors(self.problems)


@dataclass(slots=True)
class _State:
    """The cases that could be read, and what is wrong with any."""

    cases: dict[str, Case] = field(default_factory=dict)
    problems: dict[str, list[Problem]] = field(default_factory=dict)

    def blame(self, case: str, *problems: Problem) -> None:
        self.problems.setdefault(case, []).extend(problems)


def check_corpus_folder(
    folder: Path,
    ids: Collection[str],
    means: Means,
    search: Search,
    *,
    proofs: bool,
    jobs: int,
    progress: Callable[[str], Progress],
) -> list[Checked]:
    """Every case of the corpus in `folder` (or those of `ids`), checked; sorted by id.

    `progress` makes a callback for what is counted. Raises `CorpusError` for an index that cannot be read or an id
    that is not in it, `SourceError` when a registry cannot be reached, and `Cancelled`.
    """
    refuse_code(folder, TEST_MODULES)
    entries = {entry["id"]: entry["split"] for entry in read_index(folder)}
    for wanted in ids:
        if wanted not in entries:
            raise CorpusError(f"{folder / INDEX}: has no case {wanted[:80]!r}")
    chosen = sorted(ids or (name for name in entries if (folder / name).exists()))
    state, seal = _State(), read_seal(folder, means.environ)
    for name in sorted(entries):
        if (folder / name).exists() or name in chosen:
            _load(folder, name, entries[name], search, seal, state)
    checked = {name: state.cases[name] for name in chosen if name in state.cases}
    fetched = bring(
        [*checked.values()],
        means.cache,
        means.children,
        offline=means.offline,
        progress=progress("artefacts fetched"),
    )
    for name, found in fetched.items():
        state.blame(name, *found)
    known = examples([*state.cases.values()])
    for name, case in checked.items():
        shown = _shown(case, means, state)
        state.blame(name, *_lints(case, shown, known, search))
    proved = _prove_all([*checked.values()], state, means, jobs, progress("proofs run")) if proofs else {}
    return [
        Checked(
            id=name,
            split=entries[name],
            clean=state.cases[name].clean if name in state.cases else None,
            problems=tuple(
                sorted({*state.problems.get(name, ()), *(proved[name].problems if name in proved else ())})
            ),
            proved=proved.get(name),
        )
        for name in chosen
    ]


def _load(folder: Path, name: str, split: Split, search: Search, seal: Seal, state: _State) -> None:
    try:
        state.cases[name], warnings = load_case(folder, name, split, search, seal)
    except (CorpusError, OSError) as e:
        state.blame(name, from_message(str(e), folder / name))
        return
    for warning in warnings:
        state.blame(name, replace(from_message(warning, folder / name), weight="warning"))


def _shown(case: Case, means: Means, state: _State) -> Shown | None:
    if errors(state.problems.get(case.id, ())):
        return None
    try:
        if case.meta.source is not None:
            prepare_cases([case], means.cache, means.children, offline=True, progress=lambda *_: None)
        return show_case(case, means.cache)
    except ReviewbenchError as e:
        state.blame(case.id, from_message(str(e).removeprefix(f"{case.id}: "), case.folder))
        return None


def _lints(case: Case, shown: Shown | None, known: Sequence[Example], search: Search) -> Iterator[Problem]:
    yield from lint_open_fields(case)
    yield from lint_facts(case)
    yield from lint_canary(case)
    yield from lint_seal(case)
    yield from lint_matchers(case, known, search)
    if shown is not None:
        yield from lint_places(case, shown)
        if case.meta.source is None:
            yield from lint_committed(shown)
        yield from lint_leaks(case, shown, search)


def _prove_all(
    cases: Sequence[Case], state: _State, means: Means, jobs: int, progress: Progress
) -> dict[str, Proved]:
    """The proofs of the cases whose trees are there, `jobs` at once."""
    found: dict[str, Proved] = {}
    ready = [case for case in cases if not errors(state.problems.get(case.id, ()))]
    found |= {case.id: Proved(reason="its own errors come first") for case in cases if case not in ready}
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="prove")
    finished = False
    try:
        waiting: dict[Future[Proved], Case] = {pool.submit(prove, case, means): case for case in ready}
        while waiting:
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                case = waiting.pop(future)
                found[case.id] = future.result()
                progress(len(ready) - len(waiting), len(ready), case.id)
        finished = True
    finally:
        if not finished:
            pool.shutdown(wait=False, cancel_futures=True)
            means.children.end_all()
        pool.shutdown(wait=True)
    return found
