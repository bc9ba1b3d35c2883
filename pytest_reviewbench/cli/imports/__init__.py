"""`reviewbench import ...`: what others have measured, one file a source."""

from __future__ import annotations

import typer

from pytest_reviewbench.cli.imports.findings import findings
from pytest_reviewbench.cli.imports.martian import martian
from pytest_reviewbench.cli.imports.shim52 import shim52

imports = typer.Typer(
    help="Other benchmarks, and anybody's results, as a corpus and as finished runs.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
imports.command()(findings)
imports.command()(martian)
imports.command()(shim52)
