"""Line numbers as reviewers write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

LAST_LINE = 10_000_000

_WORD = r"(?:lines?[ \t]*|#?L)?"
_NUMBER = r"(\d{1,8})(?:\.0+)?"
_LINES = re.compile(
    rf"\s*{_WORD}{_NUMBER}"
    rf"(?:\s*(?:[-–—]|\.\.\.?|to|through)\s*{_WORD}{_NUMBER}"
    r"|:\d{1,8}(?:-\d{1,8})?"
    rf"|((?:(?:,\s+(?:and\s+)?|,(?!\d{{3}}(?!\d))|;\s*|\s+and\s+|\s*&\s*){_WORD}\d{{1,8}})+))?\s*",
    re.IGNORECASE,
)
"""`12`, `L12`, `12.0`, `12-14`, `lines 3 to 5`, `12, 15`, and `12:5` as compilers write line and column.

`1,234` is none of these: it may be one number or two.
"""


@dataclass(frozen=True, slots=True)
class Lines:
    """First and last line. `more`: others were named that no range can hold."""

    first: int | None = None
    last: int | None = None
    more: bool = False


def read_lines(first: Any, last: Any) -> Lines:
    """What the fields `line` and `end_line` say; nothing is guessed, and a reversed range is turned round."""
    more = False
    if isinstance(first, str) and (found := _LINES.fullmatch(first)):
        first, last, more = found[1], found[2] if last is None else last, bool(found[3])
    start, end = _line(first), _line(last)
    if start is None:
        return Lines()
    if end is not None and end < start:
        start, end = end, start
    return Lines(start, end, more)


def _line(value: Any) -> int | None:
    if isinstance(value, str) and (found := _LINES.fullmatch(value)):
        value = int(found[1])
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and 1 <= value <= LAST_LINE else None
