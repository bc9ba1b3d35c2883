"""Measure code reviewers on real bug fixes, inside pytest. Nothing is imported before it is asked for."""

from __future__ import annotations

from pytest_reviewbench._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:  # not from typing: an idle session imports nothing for it
    from typing import Any

    from pytest_reviewbench.runs.loaded import LoadedRun, load_run

__all__ = ["LoadedRun", "__version__", "load_run"]


def __getattr__(name: str) -> Any:
    if name in ("LoadedRun", "load_run"):
        import importlib  # here, and by name: this package is above the rooms that import it

        return getattr(importlib.import_module("pytest_reviewbench.runs.loaded"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
