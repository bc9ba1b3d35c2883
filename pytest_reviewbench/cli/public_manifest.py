"""`reviewbench public-manifest`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from pytest_reviewbench.corpus.index import read_index
from pytest_reviewbench.corpus.split import public_entries


def public_manifest(
    corpus: Annotated[Path, typer.Option(help="the corpus folder")] = Path("corpus"),
) -> None:
    """Print an index that may be published: test ids hashed, commit ids dropped, order saying nothing."""
    print(json.dumps(public_entries(read_index(corpus)), indent=1, ensure_ascii=False))
