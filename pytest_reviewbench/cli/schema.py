"""`reviewbench schema`."""

from __future__ import annotations

import json
from typing import Annotated, Any

import msgspec
import typer

from pytest_reviewbench.calibrate.measure import Calibration
from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.machine.check import Checkup
from pytest_reviewbench.model import Entry, Finding, Matches, Meta, Review, RunManifest, Truth, Verdicts
from pytest_reviewbench.report.document import Report

FILES: dict[str, Any] = {
    "answer": list[Finding],
    "calibration": Calibration,
    "corpus-manifest": list[Entry],
    "doctor": Checkup,
    "ground-truth": Truth,
    "matches": Matches,
    "meta": Meta,
    "report": Report,
    "review": Review,
    "run-manifest": RunManifest,
    "verdicts": Verdicts,
}
"""Every JSON file that this version reads or writes."""


def schema(
    name: Annotated[str | None, typer.Argument(help=f"one of {', '.join(FILES)}; without it, all of them")] = None,
) -> None:
    """Print the JSON Schema of a file, or of every file by name."""
    if name is not None and name not in FILES:
        raise SettingsError(f"there is no file {name!r}; known: {', '.join(FILES)}")
    found = {key: msgspec.json.schema(kind) for key, kind in FILES.items() if name in (None, key)}
    text = json.dumps(found if name is None else found[name], indent=1, sort_keys=True)
    print(text.replace("\\\\Z", "$"))  # the end of a string, as JSON Schema's dialect of regexes has it
