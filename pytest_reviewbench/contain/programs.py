"""Where a program is: beside this interpreter first, then on PATH."""

from __future__ import annotations

import functools
import shutil

from pytest_reviewbench.contain.environment import search_path


def find_program(name: str) -> str | None:
    """Absolute path of the program `name`, or None. A venv that is not activated counts."""
    return _which(name, search_path())


@functools.cache
def _which(name: str, path: str) -> str | None:
    """Looked up once: every review asks again."""
    return shutil.which(name, path=path)
