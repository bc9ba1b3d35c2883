"""Measure code reviewers on real bug fixes, inside pytest. Nothing is imported before it is asked for."""

from __future__ import annotations

from pytest_reviewbench._version import __version__

__all__ = ["__version__"]
