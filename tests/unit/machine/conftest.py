"""Programs that behave as programs do, found on PATH."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.sandbox import Sandbox
from pytest_reviewbench.machine.containment import Containment

Install = Callable[[str, str], str]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """`install(name, body of a shell script)`: a program first on PATH; where it is."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def program(name: str, body: str) -> str:
        (folder / name).write_text(f"#!/bin/sh\n{body}\n")
        (folder / name).chmod(0o755)
        return str(folder / name)

    return program


@pytest.fixture
def children() -> Iterator[Children]:
    children = Children()
    yield children
    children.close()


@pytest.fixture(params=["sandbox", "uncontained"])
def containment(request: pytest.FixtureRequest, children: Children) -> Containment:
    """With the sandbox of this machine (if it has one), and without."""
    made = Containment(children, ())
    if request.param == "uncontained":
        made._sandbox = Sandbox.none("not for this test")
    return made
