"""Where the CLI looks for runs and for a corpus."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from pytest_reviewbench.runs.folder import RunFolder
from pytest_reviewbench.shipped_corpus import default_corpus

RUNS = Path(".reviewbench/runs")


Corpus = Annotated[Path | None, typer.Option("--corpus", help="the corpus (default: corpus, else the shipped one)")]


def corpus_folder(given: Path | None) -> Path:
    """The corpus that was named, absolute; else the one here, else the shipped one."""
    if given is not None:
        return given.absolute()
    folder = default_corpus(Path.cwd())
    if folder.parent != Path.cwd():
        print(f"reviewbench: no corpus here, so the shipped one: {folder}", file=sys.stderr)
    return folder


def named_runs(names: Sequence[str], runs: Path = RUNS) -> list[RunFolder]:
    """Run folders by path, or by name below `runs`; each one once, in the order given."""
    found = {}
    for name in names:
        path = Path(name)
        if not path.is_dir() and (runs / name).is_dir():
            path = runs / name
        found[path.resolve()] = RunFolder(path)
    return list(found.values())
