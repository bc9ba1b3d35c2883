"""`reviewbench import martian`."""

from __future__ import annotations

from typing import Annotated

import typer

from pytest_reviewbench.cli.imports.places import NewCorpus, Runs, Source, report_command
from pytest_reviewbench.cli.places import RUNS
from pytest_reviewbench.imports.martian import judge_folders, new_cases, read_judged, read_pull_requests
from pytest_reviewbench.imports.martian_runs import write_runs
from pytest_reviewbench.imports.new_corpus import write_corpus


def martian(
    folder: Source,
    corpus: NewCorpus,
    runs: Runs = RUNS,
    judges: Annotated[
        list[str] | None, typer.Option("--judge", help="only this folder of results/ (repeatable; default: all)")
    ] = None,
) -> None:
    """Martian's offline benchmark: golden comments as a corpus, and a finished run per tool and judge.

    FOLDER holds golden_comments/ and results/. The cases have no diff, so nobody can be asked to review them here.
    """
    home = folder if (folder / "golden_comments").is_dir() else folder / "offline"
    if not home.is_dir():
        home = folder
    pulls = read_pull_requests(home)
    judged = [read_judged(one, pulls) for one in judge_folders(home, judges or ())]
    made = write_corpus(corpus, new_cases(home, pulls), None)
    print(f"{made.folder}: {len(made.cases)} cases, {sum(len(c.truth.bugs) for c in made.cases.values())} bugs")
    for one in judged:
        written = write_runs(runs, made, pulls, one)
        print(f"{len(written)} runs judged by {one.judge}:")
        print(report_command(written.values()))
