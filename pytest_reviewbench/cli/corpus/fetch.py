"""`reviewbench corpus fetch`."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from pytest_reviewbench.cli.places import Corpus, corpus_folder
from pytest_reviewbench.cli.tools import counted, opened
from pytest_reviewbench.curate.fetched import fetch_corpus


def fetch(
    cases: Annotated[
        list[str] | None, typer.Argument(metavar="[CASE]...", help="only these (default: all)")
    ] = None,
    corpus: Corpus = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, max=64, help="calls of pip, npm and git at once")] = 4,
    offline: Annotated[bool, typer.Option("--offline", help="fetch nothing: is everything there?")] = False,
) -> None:
    """Fetch the pinned code of every case into the cache, check its hashes, unpack it, build the changes.

    What is there already is not asked for again; afterwards sessions and checks work with --offline. Several may
    run at once. Exit status 0: everything is there; 1: something is not; 2: the call cannot be carried out.
    """
    started = time.monotonic()
    with opened(interrupted="interrupted; what did arrive is kept") as tools:
        fetched = fetch_corpus(
            corpus_folder(corpus), cases or (), tools.cache, tools.children, offline=offline, jobs=jobs,
            progress=counted,
        )  # fmt: skip
    for name, problems in sorted(fetched.problems.items()):
        for problem in problems:
            print(f"{name}: {problem.weight}: {problem}")
    print(
        f"{fetched.cases} cases with pinned code: {fetched.artefacts} artefacts ({fetched.size / 1e6:.1f} MB) in "
        f"{tools.cache.root}, {fetched.arrived} of them fetched now; {time.monotonic() - started:.1f} s"
    )
    if any(problem.weight == "error" for problems in fetched.problems.values() for problem in problems):
        raise typer.Exit(1)
