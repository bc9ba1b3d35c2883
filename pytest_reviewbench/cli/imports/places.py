"""Options that every import has."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from pytest_reviewbench.runs.folder import RunFolder

Runs = Annotated[Path, typer.Option("--runs", help="where the run folders go")]
NewCorpus = Annotated[
    Path, typer.Option("--corpus", help="where the corpus goes: a folder that is not there yet, or holds this one")
]
Source = Annotated[Path, typer.Argument(metavar="FOLDER", help="the benchmark, as its repository has it")]


def report_command(made: Iterable[RunFolder]) -> str:
    """What prints the numbers of these runs."""
    return "reviewbench report " + shlex.join(str(run.path) for run in made)
