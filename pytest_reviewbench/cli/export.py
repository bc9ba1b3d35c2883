"""`reviewbench export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pytest_reviewbench import codec
from pytest_reviewbench.cli.places import named_runs
from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.exports.csv_file import csv_bytes
from pytest_reviewbench.exports.parquet_file import parquet_bytes
from pytest_reviewbench.exports.sarif import sarif_log
from pytest_reviewbench.exports.tables import tables
from pytest_reviewbench.runs import store
from pytest_reviewbench.runs.folder import MANIFEST, RunFolder


def export(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="run folders, or their names in .reviewbench/runs")
    ],
    sarif: Annotated[
        Path | None,
        typer.Option("--sarif", metavar="FILE", help="SARIF 2.1.0; of several runs a folder, with a file each"),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="DIR", help="cases.csv, findings.csv and verdicts.csv")
    ] = None,
    parquet: Annotated[
        Path | None, typer.Option("--parquet", metavar="DIR", help="the same tables as Parquet (needs pyarrow)")
    ] = None,
    partial: Annotated[bool, typer.Option("--partial", help="accept runs that are not complete")] = False,
) -> None:
    """Write runs in formats of other tools. Needs no corpus; files that are there are replaced.

    No file holds a word of a truth, or the reason of a verdict.
    """
    if sarif is None and csv is None and parquet is None:
        raise SettingsError("export: say in which format and where: --sarif FILE, --csv DIR or --parquet DIR")
    folders = [RunFolder(run.path.absolute()) for run in named_runs(runs)]  # `.` has a name only so
    if len({run.name for run in folders}) < len(folders):
        raise SettingsError("export: two of these runs have the same name; export them one by one")
    for given in (sarif, csv, parquet):
        _refuse_records(given)
    files: dict[Path, bytes] = {}
    if sarif is not None:
        files |= {place: codec.encode(sarif_log(run, partial=partial)) for run, place in _places(folders, sarif)}
    if csv is not None or parquet is not None:
        for table in tables(folders, partial=partial):
            if csv is not None:
                files[csv / f"{table.name}.csv"] = csv_bytes(table)
            if parquet is not None:
                files[parquet / f"{table.name}.parquet"] = parquet_bytes(table)
    for path, data in files.items():
        try:
            store.replace(path, data)
        except OSError as e:
            raise SettingsError(f"{path}: cannot be written: {e.strerror}") from None
        print(path)


def _places(runs: list[RunFolder], given: Path) -> list[tuple[RunFolder, Path]]:
    """Where the log of each run goes: to the file that was named, or into the folder under the run's name."""
    if len(runs) == 1 and not given.is_dir():
        return [(runs[0], given)]
    return [(run, given / f"{run.name}.sarif") for run in runs]


def _refuse_records(given: Path | None) -> None:
    """Nothing in a run folder is ever changed, and nothing of others put among its records."""
    for folder in (given.absolute(), *given.absolute().parents) if given is not None else ():
        if (folder / MANIFEST).is_file() and (folder / "reviews").is_dir():
            raise SettingsError(
                f"{given}: lies in the run {folder.name}, where nothing is changed; name another place"
            )
