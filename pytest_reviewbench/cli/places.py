"""Where the CLI looks for runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_reviewbench.runs.folder import RunFolder

RUNS = Path(".reviewbench/runs")


def named_runs(names: Sequence[str], runs: Path = RUNS) -> list[RunFolder]:
    """Run folders by path, or by name below `runs`; each one once, in the order given."""
    found = {}
    for name in names:
        path = Path(name)
        if not path.is_dir() and (runs / name).is_dir():
            path = runs / name
        found[path.resolve()] = RunFolder(path)
    return list(found.values())
