"""`reviewbench split`."""

from __future__ import annotations

import json
import re
from typing import Annotated

import typer

from pytest_reviewbench.corpus.split import first_split
from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.model import ID_PATTERN


def split(
    ids: Annotated[list[str], typer.Argument(help="the ids of all cases of a new corpus")],
    public: Annotated[
        list[str] | None, typer.Option(help="a case that is public already, so train; repeatable")
    ] = None,
) -> None:
    """Print the first split of a new corpus: {id: train or test}, decided by the ids alone."""
    for case in (*ids, *(public or ())):
        if not re.match(ID_PATTERN, case):
            raise SettingsError(f"{case[:80]!r} is not a case id: 1 to 64 letters, digits, '.', '_' or '-'")
    print(json.dumps(first_split(ids, public or ()), indent=1))
