"""`reviewbench corpus add`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from pytest_reviewbench.cli.tools import counted, opened, say
from pytest_reviewbench.contain.search import Searcher
from pytest_reviewbench.curate.adding import Added, Draft, Refused, add_drafts, draft
from pytest_reviewbench.curate.candidate import Candidate, CandidatePin, read_candidates
from pytest_reviewbench.curate.growth import Growth, growing
from pytest_reviewbench.curate.lookup import Means
from pytest_reviewbench.curate.named import Named, named_candidate, suggested
from pytest_reviewbench.curate.private import committed
from pytest_reviewbench.curate.suggestions import language_of, prefix_of, table
from pytest_reviewbench.errors import ReviewbenchError, SettingsError

USAGE = 2


def add(
    candidates: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CANDIDATES.json [ID]...]", help="a candidates file, and which of it"),
    ] = None,
    pypi: Annotated[
        tuple[str, str, str] | None,
        typer.Option(metavar="NAME BUGGY FIXED", help="two releases of a Python package"),
    ] = None,
    npm: Annotated[
        tuple[str, str, str] | None, typer.Option(metavar="NAME BUGGY FIXED", help="two releases of an npm package")
    ] = None,
    git: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="URL FIX_SHA", help="a commit that fixes something, by its full id"),
    ] = None,
    patch: Annotated[
        Path | None, typer.Option("--patch", help="your own change that brings a bug; it is committed")
    ] = None,
    context: Annotated[
        Path | None, typer.Option("--context", help="with --patch: the folder as the change leaves it")
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(help="with --pypi, --npm: the last release without the bug (shown: before to BUGGY)"),
    ] = None,
    intro: Annotated[
        str | None, typer.Option(help="with --git: the commit that brought the bug in (shown instead of the fix)")
    ] = None,
    file: Annotated[
        list[str] | None,
        typer.Option("--file", metavar="PATH", help="a file that is shown; repeatable. Without: suggests some"),
    ] = None,
    clean: Annotated[bool, typer.Option("--clean", help="a clean control: BUGGY to FIXED is harmless")] = False,
    case_id: Annotated[
        str | None, typer.Option("--id", help="the id of the case (default: the next free one)")
    ] = None,
    corpus: Annotated[Path, typer.Option("--corpus", help="the corpus; made when it is not there")] = Path(
        "corpus"
    ),
    offline: Annotated[bool, typer.Option("--offline", help="fetch nothing: the cache must have it")] = False,
) -> None:
    """Add cases to a corpus: of a candidates file, of two releases, of a commit, or of your own change.

    Nothing is overwritten, no case changes its side of the split, and nothing is added unless all of it can be
    used. What only a person knows is left open: fields that begin with TODO, which `reviewbench corpus check`
    refuses. Exit status 0: added; 2: not, and why.
    """
    ways = [name for name, given in (("a candidates file", candidates), ("--pypi", pypi), ("--npm", npm),
                                     ("--git", git), ("--patch", patch)) if given]  # fmt: skip
    if len(ways) != 1:
        raise SettingsError(
            "corpus add takes one of CANDIDATES.json, --pypi, --npm, --git and --patch, "
            f"got {' and '.join(ways) or 'none'}"
        )
    _refuse_out_of_place(ways[0], before=before, intro=intro, context=context, file=file, clean=clean)
    with _tools() as (means, searcher):
        if candidates:
            beside = Path(candidates[0])
            wanted = read_candidates(beside, candidates[1:])
            if case_id is not None and len(wanted) != 1:
                raise SettingsError(f"--id: names one case, and {beside} has {len(wanted)}; select one by its id")
            with growing(corpus.absolute()) as growth:
                drafts = _drafts(wanted, growth, means, beside=beside.parent, case_id=case_id, offline=offline)
                _add(drafts, growth, means, searcher, offline)
        elif patch is not None:
            files, changed = committed(patch, context, file or ())
            lang = language_of(changed)
            own = Candidate(
                id="", ecosystem="git", buggy=CandidatePin(), fixed=CandidatePin(), files=tuple(changed),
                category="clean" if clean else None,
            )  # fmt: skip
            with growing(corpus.absolute()) as growth:
                chosen = growth.next_id(prefix_of(lang)) if case_id is None else growth.claim(case_id)
                _add([Draft(chosen, own, lang, None, files, changed)], growth, means, searcher, offline)
        else:
            _add_named(
                Named.of(pypi=pypi, npm=npm, git=git, before=before, intro=intro, cwd=Path.cwd()),
                file or (), clean, case_id, corpus, means, searcher, offline,
            )  # fmt: skip


def _add_named(
    named: Named, files: Sequence[str], clean: bool, case_id: str | None, corpus: Path, means: Means,
    searcher: Searcher, offline: bool,
) -> None:  # fmt: skip
    if offline:
        raise SettingsError("--offline: releases and commits that are not pinned yet must be fetched")
    candidate = named_candidate(named, files, means, clean=clean)
    if not files:
        found = suggested(candidate, means)
        print("\n".join(table(found)) or "no file of code differs")
        raise SettingsError(
            "nothing was added: choose what is shown with --file=PATH, and repeat it for more files"
        )
    with growing(corpus.absolute()) as growth:
        one = draft(candidate, growth, means, beside=None, case_id=case_id, offline=False)
        _add([one], growth, means, searcher, offline)


def _drafts(
    wanted: Sequence[Candidate], growth: Growth, means: Means, *, beside: Path, case_id: str | None, offline: bool
) -> list[Draft]:
    drafts, mistakes = [], []
    for candidate in wanted:
        try:
            drafts.append(draft(candidate, growth, means, beside=beside, case_id=case_id, offline=offline))
        except ReviewbenchError as e:
            mistakes.append(f"{candidate.id}: {e}")
    if mistakes:
        _refuse(mistakes)
    return drafts


def _add(drafts: Sequence[Draft], growth: Growth, means: Means, searcher: Searcher, offline: bool) -> None:
    try:
        added = add_drafts(
            drafts, growth, means, searcher.search, offline=offline,
            progress=counted,
        )  # fmt: skip
    except Refused as e:
        _refuse(e.mistakes)
    for one in added:
        print(f"{growth.folder / one.id}: added, {one.split}{_open(one)}")
    named = " ".join(one.id for one in added) if len(added) < 10 else ""
    print(f"then: reviewbench corpus check {named} --prove".replace("  ", " "))


def _open(one: Added) -> str:
    return f"; {one.open} open fields, marked TODO" if one.open else ""


def _refuse(mistakes: Sequence[str]) -> None:
    for mistake in mistakes:
        say(f"reviewbench: {mistake}")
    say("reviewbench: nothing was added")
    raise typer.Exit(USAGE)


def _refuse_out_of_place(
    way: str, *, before: object, intro: object, context: object, file: object, clean: bool
) -> None:
    allowed = {
        "a candidates file": (),
        "--patch": ("--context", "--file", "--clean"), "--git": ("--intro", "--file", "--clean"),
        "--pypi": ("--before", "--file", "--clean"), "--npm": ("--before", "--file", "--clean"),
    }  # fmt: skip
    given = {"--before": before, "--intro": intro, "--context": context, "--file": file, "--clean": clean}
    for name, value in given.items():
        if value and name not in allowed[way]:
            raise SettingsError(f"{name}: means nothing with {way}")
    if clean and (before or intro):
        raise SettingsError("--clean: a clean control has two versions only, an older and a newer one")


@contextlib.contextmanager
def _tools() -> Iterator[tuple[Means, Searcher]]:
    with opened(interrupted="interrupted; nothing was added") as tools:
        yield Means(tools.cache, tools.children, os.environ), tools.searcher
