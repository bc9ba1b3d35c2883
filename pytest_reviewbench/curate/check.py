"""Checks a whole corpus: every case, whatever is wrong with the others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from pytest_reviewbench.corpus.index import read_index
from pytest_reviewbench.corpus.layout import refuse_code
from pytest_reviewbench.corpus.shown import Shown
from pytest_reviewbench.corpus.sources.registry import Progress
from pytest_reviewbench.curate.canary import lint_canary, lint_seal
from pytest_reviewbench.curate.fetched import bring_cases, cases_there
from pytest_reviewbench.curate.leak_lint import lint_leaks
from pytest_reviewbench.curate.matcher_lint import Example, examples, lint_matchers
from pytest_reviewbench.curate.private import lint_committed
from pytest_reviewbench.curate.problem import Problem, errors, from_message
from pytest_reviewbench.curate.prove import Means, Proved, prove
from pytest_reviewbench.curate.truth_lint import lint_facts, lint_open_fields, lint_places
from pytest_reviewbench.errors import ReviewbenchError
from pytest_reviewbench.launch import show_case
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
    cases, unread = cases_there(folder, (), search, means.environ)  # all: their examples are neighbours
    if missing := [name for name in ids if name not in cases and name not in unread]:
        unread |= cases_there(folder, missing)[1]  # no such case, or one without a folder
    names = sorted(ids or {*cases, *unread})
    chosen = {name: cases[name] for name in names if name in cases}
    found = {name: list(unread.get(name, ())) for name in names}
    brought = bring_cases(chosen.values(), means.cache, means.children, offline=means.offline, progress=progress)
    for name, said in brought.items():
        found[name] += said
    known = examples([*cases.values()])
    for name, case in chosen.items():
        shown = None if errors(found[name]) else _shown(case, means, found[name])
        found[name] += _lints(case, shown, known, search)
    sound = [case for name, case in chosen.items() if not errors(found[name])]
    proved = _prove_all(sound, means, jobs, progress("proofs run")) if proofs else {}
    splits = {entry["id"]: entry["split"] for entry in read_index(folder)}
    return [
        _checked(name, splits[name], cases.get(name), found[name], proved.get(name), proofs=proofs)
        for name in names
    ]


def _checked(
    name: str, split: Split, case: Case | None, problems: Sequence[Problem], proved: Proved | None, *, proofs: bool
) -> Checked:
    if proofs and proved is None and case is not None:
        proved = Proved(reason="its own errors come first")
    every = {*problems, *(proved.problems if proved is not None else ())}
    return Checked(name, split, None if case is None else case.clean, tuple(sorted(every)), proved)


def _shown(case: Case, means: Means, problems: list[Problem]) -> Shown | None:
    if case.meta.no_change is not None:
        return None
    try:
        return show_case(case, means.cache)
    except ReviewbenchError as e:
        problems.append(from_message(str(e).removeprefix(f"{case.id}: "), case.folder))
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


def _prove_all(ready: Sequence[Case], means: Means, jobs: int, progress: Progress) -> dict[str, Proved]:
    """The proofs of the cases whose trees are there, `jobs` at once."""
    found: dict[str, Proved] = {}
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
