"""The files of a loaded case, whether they stand in its folder or are sealed there."""

from __future__ import annotations

import os

from pytest_reviewbench.contain.files import read_bounded
from pytest_reviewbench.corpus.layout import PROOFS
from pytest_reviewbench.model import Case

LIMIT = 16 << 20


def has_file(case: Case, name: str) -> bool:
    """Has the case a file `name`, sealed or not? Links count: reading one says what is wrong with it."""
    return name in case.sealed or os.path.lexists(f"{case.folder}/{name}")


def read_file(case: Case, name: str, limit: int = LIMIT) -> bytes:
    """The bytes of the case's file `name`. Raises `CorpusError` as `read_bounded` does."""
    return case.sealed[name] if name in case.sealed else read_bounded(f"{case.folder}/{name}", limit)


def proof_name(case: Case) -> str | None:
    """What the proof of the case is called; None when it has none."""
    return next((name for name in PROOFS if has_file(case, name)), None)
