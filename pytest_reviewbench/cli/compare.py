"""`reviewbench compare`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from pytest_reviewbench import codec
from pytest_reviewbench.bounds import Bound, read_bound
from pytest_reviewbench.cli.places import RUNS, named_runs
from pytest_reviewbench.cli.tools import say
from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.report.comparison import compare_runs
from pytest_reviewbench.report.gates import check_bounds
from pytest_reviewbench.report.markdown import comparison_markdown
from pytest_reviewbench.report.notices import broken_bounds
from pytest_reviewbench.report.terminal import comparison_lines

NO_BASELINE = 3
"""Exit status when the baseline is not there: nothing was compared, and nothing is wrong with the call."""

NONE: list[str] = []


def compare(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="run folders, or their names in .reviewbench/runs")
    ],
    baseline: Annotated[
        list[str], typer.Option("--baseline", metavar="RUN", help="compare with this run (repeatable: its reps)")
    ] = NONE,
    fail_if: Annotated[
        list[str],
        typer.Option(
            "--fail-if",
            metavar="[ARM:]NAME<VALUE",
            help="exit 1 when an arm's difference to the baseline is there, or not measured: 'recall_strict<-0.02'",
        ),
    ] = NONE,
    fail_if_certain: Annotated[
        list[str],
        typer.Option("--fail-if-certain", metavar="[ARM:]NAME<VALUE", help="only when its whole interval is there"),
    ] = NONE,
    intersect: Annotated[bool, typer.Option("--intersect", help="compare the cases that all selected")] = False,
    clusters: Annotated[
        str, typer.Option("--clusters", help="what is resampled: case, or origin (packages with all their cases)")
    ] = "case",
    verifier: Annotated[str | None, typer.Option("--verifier", help="whose verdicts count, by id")] = None,
    with_tainted: Annotated[
        bool, typer.Option("--with-tainted", help="count reviews that looked beyond their task as well")
    ] = False,
    partial: Annotated[bool, typer.Option("--partial", help="accept runs that are not complete")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="print Markdown")] = False,
) -> None:
    """Compare runs of one corpus, split and scope: with a baseline, or every two of them.

    Exit status: 0 every bound holds, 1 one does not, 2 usage or runs not to be compared, 3 there is no baseline.
    """
    if as_json and as_markdown:
        raise SettingsError("--json and --markdown cannot be printed together; choose one")
    bounds = [*_bounds("--fail-if", fail_if), *_bounds("--fail-if-certain", fail_if_certain)]
    if bounds and not baseline:
        raise SettingsError(
            "--fail-if needs --baseline: without one there is nothing that an arm could fall behind"
        )
    check_bounds(bounds)
    for name in baseline:
        if not Path(name).exists() and not (RUNS / name).exists():
            say(f"reviewbench: no baseline: {name} is not there; nothing was compared")
            raise typer.Exit(NO_BASELINE)
    made = compare_runs(
        named_runs(runs),
        named_runs(baseline),
        bounds,
        verifier=verifier,
        with_tainted=with_tainted,
        intersect=intersect,
        partial=partial,
        clusters=read_clusters(clusters),
    )
    if as_json:
        sys.stdout.write(codec.encode(made).decode())
    else:
        lines = comparison_markdown(made) if as_markdown else comparison_lines(made, every_row=True)
        print("\n".join(lines))
    if broken := broken_bounds(made):
        for line in broken:
            say(f"reviewbench: {line}")
        raise typer.Exit(1)


def read_clusters(text: str) -> Literal["case", "origin"]:
    """Raises `SettingsError`."""
    if text not in ("case", "origin"):
        raise SettingsError(f"--clusters: expected case or origin, got {text!r}")
    return "case" if text == "case" else "origin"


def _bounds(option: str, texts: Sequence[str]) -> list[Bound]:
    try:
        return [read_bound(text, certain=option.endswith("certain")) for text in texts]
    except ValueError as e:
        raise SettingsError(f"{option}: {e}") from None
