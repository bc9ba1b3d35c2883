"""Date groups of fixes: large models know older ones better."""

from __future__ import annotations

NEW_FROM = "2025-10"
"""Fixes from this month on are a group of their own."""

UNKNOWN = "unknown"


def date_group(published: str | None) -> str:
    """`before 2025-10`, `from 2025-10`, or `unknown` when the date does not tell."""
    if published is None or NEW_FROM.startswith(published):
        return UNKNOWN if published != NEW_FROM else f"from {NEW_FROM}"
    return f"from {NEW_FROM}" if published >= NEW_FROM else f"before {NEW_FROM}"
