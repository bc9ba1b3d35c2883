"""What several test processes need and one of them makes, and data that stands beside the checkout."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "shared" / "data"
"""Public data with published results, beside the checkout; no part of the project."""


def shared(path: str) -> Path:
    """A file or folder of it; where it is not, the test is skipped with the reason."""
    found = DATA / path
    if not found.exists():
        pytest.skip(f"the public data is not beside this checkout: no {path} in ../shared/data")
    return found


def base_of_all(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The temporary folder of this run of the suite, the same in all its workers."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def made_once(tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder filled by `make`, in whichever worker asks first; the others wait for it. To be read only."""
    folder = base_of_all(tmp_path_factory) / name
    with open(folder.with_name(f"{name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder.with_name(f"{name}.done")
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)  # of one that failed
            folder.mkdir()
            make(folder)
            done.touch()
    return folder
