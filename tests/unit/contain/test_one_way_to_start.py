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
    return any(starts(node) for node in ast.walk(ast.parse(file.read_text())))


def starts(node: ast.AST) -> bool:
    match node:
        case ast.Import(names=names):
            return any(alias.name.split(".")[0] in STARTERS for alias in names)
        case ast.ImportFrom(module=str(module)):
            return module.split(".")[0] in STARTERS
        case ast.Attribute(value=ast.Name(id="os"), attr=name):
            return name in CALLS or name.startswith(("exec", "spawn"))
    return False


def test_only_the_room_for_children_starts_processes() -> None:
    found = {file.relative_to(PACKAGE).as_posix() for file in PACKAGE.rglob("*.py") if starts_processes(file)}
    assert found == ALLOWED
