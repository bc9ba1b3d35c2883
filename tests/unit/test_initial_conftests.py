"""pytest loads these files in every session that starts in the checkout, also where only `[tools]` is installed."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BROUGHT = {"pytest", "pytest_reviewbench", "tests", "_pytest"}
FILES = ["conftest.py", "tests/__init__.py", "tests/conftest.py", "tests/shared.py"]


def imported(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0])
    return names


@pytest.mark.parametrize("file", FILES)
def test_what_is_loaded_in_every_session_imports_nothing_that_only_the_tests_bring(file: str) -> None:
    assert imported(ROOT / file) <= BROUGHT | set(sys.stdlib_module_names)


def test_those_are_all_of_them() -> None:
    loaded = {ROOT / "conftest.py", ROOT / "tests" / "conftest.py", *(ROOT / "tests").glob("test*/conftest.py")}
    assert {file for file in loaded if file.exists()} <= {ROOT / file for file in FILES}
