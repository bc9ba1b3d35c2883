"""Medians with their range, and plain tables."""

from __future__ import annotations

import statistics
from collections.abc import Sequence


def spread(values: Sequence[float], digits: int = 2) -> str:
    """`median (min–max)`, or the value alone when there is one."""
    median = f"{statistics.median(values):.{digits}f}"
    return median if len(values) == 1 else f"{median} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, its columns lined up: reads well in a terminal and pastes into the docs."""
    widths = [max(len(row[n]) for row in (head, *rows)) for n in range(len(head))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
             for row in (head, ["-" * width for width in widths], *rows)]  # fmt: skip
    return "\n".join(lines)
