"""What real agents bring to their model from outside: the table of docs/security.md, and what is marked for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.agent_leaks import MODES, PACKAGES, REACHED, column, measured
from pytest_reviewbench.contain.preflight import probe
from pytest_reviewbench.contain.process import Children
from tests.real.agent_programs import GEMINI, OPENCODE, Package, Unavailable, installed

DOCS = Path(__file__).parents[2] / "docs" / "security.md"


def documented(name: str) -> dict[str, str]:
    """A column of the table in the docs."""
    lines = DOCS.read_text().splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("| a way out of the workspace"))
    end = next(n for n in range(start, len(lines)) if not lines[n].startswith("|"))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:end]]
    return {row[0]: row[rows[0].index(name)] for row in rows[2:]}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.program)
def test_what_an_agent_reaches_is_what_the_docs_say_and_taints(package: Package, mode: str) -> None:
    if package in (GEMINI, OPENCODE) and os.environ.get("REVIEWBENCH_REAL") != "all":
        pytest.skip("opencode and gemini are installed with REVIEWBENCH_REAL=all")
    try:
        installed(package)
    except Unavailable as e:
        pytest.skip(f"{package.program} {package.version} cannot be had here: {e}")
    children = Children()
    sandbox = probe(children)
    children.close()
    if mode == "bwrap" and sandbox.program is None:
        pytest.skip(f"no sandbox on this machine: {sandbox.reason}")
    found = measured(package, mode)
    assert found.cells == documented(column(package, mode))
    assert found.tainted == {way for way, cell in found.cells.items() if cell == REACHED}
