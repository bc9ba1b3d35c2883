"""`reviewbench ...`: everything that needs no pytest session, one file a verb."""

from __future__ import annotations

import sys

import typer

from pytest_reviewbench.cli.adjudicate import adjudicate
from pytest_reviewbench.cli.calibrate import calibrate
from pytest_reviewbench.cli.compare import compare
from pytest_reviewbench.cli.corpus import corpus
from pytest_reviewbench.cli.doctor import doctor
from pytest_reviewbench.cli.export import export
from pytest_reviewbench.cli.imports import imports
from pytest_reviewbench.cli.public_manifest import public_manifest
from pytest_reviewbench.cli.report import report
from pytest_reviewbench.cli.runs import runs
from pytest_reviewbench.cli.schema import schema
from pytest_reviewbench.cli.split import split
from pytest_reviewbench.cli.verify import verify
from pytest_reviewbench.errors import ReviewbenchError

USAGE = 2
"""Exit status when the call cannot be carried out; the one line on stderr says why."""

app = typer.Typer(
    name="reviewbench",
    help="Work with review benchmarks outside pytest. Reviews are run by: pytest --reviewbench-arm NAME",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(split)
app.command("public-manifest")(public_manifest)
app.command()(report)
app.command()(compare)
app.command()(export)
app.command()(runs)
app.command()(verify)
app.command()(calibrate)
app.command()(schema)
app.command()(doctor)
app.add_typer(corpus, name="corpus")
app.add_typer(imports, name="import")
app.add_typer(adjudicate, name="adjudicate")


def main() -> None:
    """The console script: a mistake of the user is one line on stderr and exit status 2.

    A pipe that nobody reads to its end (`| head`) is exit status 1 without a word: typer sees to that.
    """
    try:
        app()
    except ReviewbenchError as e:
        print(f"reviewbench: {e}", file=sys.stderr)
        sys.exit(USAGE)
