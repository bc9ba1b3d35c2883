"""Whoever wants a child asks `contain`; nothing else in the package starts a process."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest_reviewbench

PACKAGE = Path(pytest_reviewbench.__file__).parent
STARTERS = {"subprocess", "multiprocessing", "pty", "_posixsubprocess"}
CALLS = {"fork", "forkpty", "system", "popen", "posix_spawn", "posix_spawnp", "startfile"}
ALLOWED = {
    "contain/minders.py",
    "contain/search.py",
    "contain/supervisor/minder.py",
    "contain/supervisor/server.py",
}


def starts_processes(file: Path) -> bool:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import) and any(alias.name.split(".")[0] in STARTERS for alias in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in STARTERS:
            return True
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            if node.attr in CALLS or node.attr.startswith(("exec", "spawn")):
                return True
    return False


def test_only_the_room_for_children_starts_processes() -> None:
    found = {file.relative_to(PACKAGE).as_posix() for file in PACKAGE.rglob("*.py") if starts_processes(file)}
    assert found == ALLOWED
