"""Arms that build on another arm's review of the same case: whose run that is, and what is needed of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from pytest_reviewbench.arms.protocol import BuiltArm
from pytest_reviewbench.errors import RunError, SettingsError
from pytest_reviewbench.launch import Selection
from pytest_reviewbench.model import Case
from pytest_reviewbench.reviewing import Reviewed
from pytest_reviewbench.runs.folder import RunFolder
from pytest_reviewbench.runs.session import RunKey
from pytest_reviewbench.tasks.review import Earlier


def check_bases(arms: Mapping[str, BuiltArm], given: Path | None) -> None:
    """Raises `SettingsError` for an arm whose base builds on another, and for a `given` run that none builds on."""
    if given is not None and not any(built.base for built in arms.values()):
        raise SettingsError("--reviewbench-base: none of the arms builds on another; leave it out")
    for name, built in arms.items():
        if built.base is not None and arms[built.base].base is not None:
            raise SettingsError(
                f"[tool.reviewbench.arms.{name}] base: {built.base!r} builds on another arm itself; "
                "name one that does not"
            )


def with_bases(selection: Selection, arms: Mapping[str, BuiltArm]) -> dict[RunKey, list[str]]:
    """`selection` with the reviews that others build on, whether or not they were selected themselves."""
    whole = {key: list(cases) for key, cases in selection.items()}
    for (arm, rep), cases in selection.items():
        base = arms[arm].base
        if base is not None:
            there = whole.setdefault((base, rep), [])
            there += [case for case in cases if case not in set(there)]
    return whole


def given_base(path: Path, selection: Selection, arms: Mapping[str, BuiltArm], identity: str) -> RunFolder:
    """The complete run at `path`, which stands for the base of every arm that has one.

    Raises `RunError` when it is not complete, of another arm or corpus, or lacks a case that is needed.
    """
    run = RunFolder(path)
    manifest = run.manifest()
    if not run.complete:
        raise RunError(f"--reviewbench-base: {path}: not complete (no COMPLETE file)")
    for (arm, _), cases in selection.items():
        base = arms[arm].base
        if base is None:
            continue
        if base != manifest.arm:
            raise RunError(f"--reviewbench-base: {path} is a run of {manifest.arm}, but {arm} builds on {base}")
        if missing := sorted(set(cases) - set(manifest.cases)):
            raise RunError(f"--reviewbench-base: {path} has no review of {missing[0]}, which {arm} needs")
    if manifest.corpus_sha256 != identity:
        raise RunError(f"--reviewbench-base: {path} is of another corpus ({manifest.corpus_sha256[:12]})")
    return run


def earlier_review(
    built: BuiltArm,
    rep: int,
    case: Case,
    given: Path | None,
    runs: Mapping[RunKey, RunFolder],
    review: Callable[[], Reviewed],
) -> Earlier | None:
    """What `built` builds on: from the run that was `given`, else by `review`, which does it unless it is done."""
    if built.base is None:
        return None
    if given is not None:
        run = RunFolder(given)
        found = run.review(case.id)
        return None if found is None else Earlier(found, run.answer(case.id))
    return Earlier(review().review, runs[built.base, rep].answer(case.id))
