"""Texts of strangers in cells of spreadsheets: no formula, and nothing lost."""

from __future__ import annotations

FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""With these a spreadsheet begins a formula, also of full width."""


def guarded(text: str) -> str:
    """`text` with an apostrophe in front where a spreadsheet would compute it, or where it begins with one."""
    return f"'{text}" if text.lstrip(" ").startswith((*FORMULA, "'")) else text


def bare(cell: str) -> str:
    """What `guarded` was given."""
    return cell[1:] if cell.startswith("'") and guarded(cell[1:]) != cell[1:] else cell
