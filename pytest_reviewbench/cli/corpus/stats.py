"""`reviewbench corpus stats`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.curate.stats import count
from pytest_reviewbench.model import SPLITS

WIDTH = 28


def stats(
    corpus: Annotated[Path, typer.Option("--corpus", help="the corpus")] = Path("corpus"),
    as_json: Annotated[bool, typer.Option("--json", help="print a JSON object")] = False,
) -> None:
    """Count a corpus: cases and bugs by split, language, class, severity, category, date and source."""
    loaded = load_corpus(corpus.absolute(), None)
    counted = count(loaded.cases.values())
    if as_json:
        print(json.dumps({"schema": 1, "absent": len(loaded.absent), "counts": counted}, indent=1))
        return
    for what, values in counted.items():
        print(f"{what:{WIDTH}}" + "".join(f"{split:>8}" for split in (*SPLITS, "all")))
        for value, by_split in values.items():
            numbers = [by_split.get(split, 0) for split in SPLITS]
            print(f"  {value:{WIDTH - 2}}" + "".join(f"{number:>8}" for number in (*numbers, sum(numbers))))
    if loaded.absent:
        print(f"{len(loaded.absent)} entries of the index have no folder here")
