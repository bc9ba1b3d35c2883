"""`reviewbench corpus stats`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from pytest_reviewbench.cli.places import Corpus, corpus_folder
from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.curate.stats import count
from pytest_reviewbench.model import SPLITS

WIDTH = 28


def stats(
    corpus: Corpus = None,
    as_json: Annotated[bool, typer.Option("--json", help="print a JSON object")] = False,
) -> None:
    """Count a corpus: cases and bugs by split, language, class, severity, category, date and source."""
    loaded = load_corpus(corpus_folder(corpus), None)
    counted = count(loaded.cases.values())
    if as_json:
        left_out = {"absent": len(loaded.absent), "locked": len(loaded.locked)}
        print(json.dumps({"schema": 1, **left_out, "counts": counted}, indent=1))
        return
    for what, values in counted.items():
        print(f"{what:{WIDTH}}" + "".join(f"{split:>8}" for split in (*SPLITS, "all")))
        for value, by_split in values.items():
            numbers = [by_split.get(split, 0) for split in SPLITS]
            print(f"  {value:{WIDTH - 2}}" + "".join(f"{number:>8}" for number in (*numbers, sum(numbers))))
    for case in [*loaded.locked.values()][:1]:
        print(f"{len(loaded.locked)} sealed cases are not counted: {case.why}")
    if loaded.absent:
        print(f"{len(loaded.absent)} entries of the index have no folder here")
