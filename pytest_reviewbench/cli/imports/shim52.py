"""`reviewbench import shim52`."""

from __future__ import annotations

from pytest_reviewbench.cli.imports.places import NewCorpus, Source
from pytest_reviewbench.cli.tools import opened
from pytest_reviewbench.imports.new_corpus import SPLIT, write_corpus
from pytest_reviewbench.imports.shim52 import RATES, RESULTS, read_challenges, read_macros


def shim52(folder: Source, corpus: NewCorpus) -> None:
    """shim52's challenges as a corpus; a finding names an issue by its file and any of its keywords.

    FOLDER holds challenges/. Its results hold no findings, so no run can be made of them; their macro averages are
    printed beside the same ones made here of the rows by challenge.
    """
    cases, macros = read_challenges(folder), read_macros(folder)
    with opened() as tools:
        made = write_corpus(corpus, cases, tools.searcher.search)
    hidden = sum(case.meta.no_change is not None for case in made.cases.values())
    print(f"{made.folder}: {len(made.cases)} cases, {sum(len(c.truth.bugs) for c in made.cases.values())} bugs")
    if hidden:
        print(
            f"{hidden} of them show no change (before/ and after/ are missing, or equal): they cannot be reviewed"
        )
    if hidden < len(made.cases):
        print(f"pytest --reviewbench-corpus={made.folder} --reviewbench-split={SPLIT} --reviewbench-arm=ARM")
    for macro in macros:
        said = [
            f"{rate} {_shown(macro.ours[rate])} (published {_shown(macro.published.get(rate))})" for rate in RATES
        ]
        print(f"{RESULTS}: {macro.tool}, mean of {macro.challenges} challenges: {', '.join(said)}")


def _shown(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:.4f}"
