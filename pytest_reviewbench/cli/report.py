"""`reviewbench report`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from pytest_reviewbench import codec
from pytest_reviewbench.cli.compare import read_clusters
from pytest_reviewbench.cli.places import named_runs
from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.report.build import build_report
from pytest_reviewbench.report.markdown import markdown
from pytest_reviewbench.report.terminal import terminal_lines


def report(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="run folders, or their names in .reviewbench/runs")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="print report.json")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="print report.md")] = False,
    verifier: Annotated[
        str | None, typer.Option("--verifier", help="whose verdicts count: an id, or majority")
    ] = None,
    with_tainted: Annotated[
        bool, typer.Option("--with-tainted", help="count reviews that looked beyond their task as well")
    ] = False,
    clusters: Annotated[
        str, typer.Option("--clusters", help="what is resampled: case, or origin (packages with all their cases)")
    ] = "case",
    partial: Annotated[bool, typer.Option("--partial", help="accept runs that are not complete")] = False,
) -> None:
    """Report runs of one corpus and split, recomputed from what they store. Needs no corpus."""
    if as_json and as_markdown:
        raise SettingsError("--json and --markdown cannot be printed together; choose one")
    made = build_report(
        named_runs(runs),
        partial=partial,
        verifier=verifier,
        with_tainted=with_tainted,
        clusters=read_clusters(clusters),
    )
    if as_json:
        sys.stdout.write(codec.encode(made).decode())
    elif as_markdown:
        sys.stdout.write(markdown(made))
    else:
        print("\n".join(terminal_lines(made, every_row=True)))
