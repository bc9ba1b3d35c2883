"""`reviewbench runs`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from pytest_reviewbench.cli.places import RUNS
from pytest_reviewbench.errors import RunError
from pytest_reviewbench.runs.folder import RunFolder, list_runs


def runs(
    folder: Annotated[Path, typer.Option("--runs", help="where the run folders are")] = RUNS,
    as_json: Annotated[bool, typer.Option("--json", help="print a JSON list")] = False,
) -> None:
    """List the run folders, oldest first: name, cases done, state."""
    rows = [_row(run) for run in list_runs(folder)]
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    if not rows:
        print(f"no runs in {folder}; make one with: pytest --reviewbench-arm tools")
    width = max((len(str(row["name"])) for row in rows), default=0)
    for row in rows:
        done = f"{row['reviews']}/{row['cases']}".rjust(9)
        print(f"{str(row['name']).ljust(width)} {done} reviews  {row['state']}")


def _row(run: RunFolder) -> dict[str, str | int | None]:
    try:
        manifest = run.manifest()
    except RunError as e:
        return {
            "name": run.name,
            "arm": None,
            "rep": None,
            "cases": None,
            "reviews": None,
            "state": f"unreadable: {e}",
        }
    done = sum((run.path / "reviews" / f"{case}.json").is_file() for case in manifest.cases)
    return {
        "name": run.name,
        "arm": manifest.arm,
        "rep": manifest.rep,
        "cases": len(manifest.cases),
        "reviews": done,
        "state": "complete" if run.complete else "not complete",
    }
