"""Cells of tables: numbers as short strings, the same everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_reviewbench.report.document import Number, Report

NOT_KNOWN = "-"


@dataclass(frozen=True, slots=True)
class Table:
    """Cells are ready to print; the first column is text, the others are numbers. `note` explains the header."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def ratio(value: Number) -> str:
    """A rate to three digits, as it is printed everywhere."""
    return NOT_KNOWN if value is None else f"{value:.3f}"


def quantity(value: Number, digits: int = 2) -> str:
    """A count, or a mean or sum with at most `digits` decimals."""
    if value is None:
        return NOT_KNOWN
    if isinstance(value, int):
        return str(value)
    return f"{value:.{digits}f}".rstrip("0").rstrip(".") or "0"


def part_of(numbers: Mapping[str, Number], part: str, whole: str) -> str:
    """`3/8`, from two of the numbers."""
    return f"{quantity(numbers[part])}/{quantity(numbers[whole])}"


def numbers_of(report: Report) -> Sequence[tuple[str, Mapping[str, Number]]]:
    """Every arm with its numbers."""
    return [(name, arm.numbers) for name, arm in report.arms.items()]
