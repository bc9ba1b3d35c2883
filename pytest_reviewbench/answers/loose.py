"""Parts of a document whose shape nobody promised: a part of another type is as good as none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_reviewbench import codec
from pytest_reviewbench.errors import FormatError


def json_document(raw: bytes, where: str, expected: str) -> Any:
    """The JSON document that is all of `raw`. Raises `FormatError`, also where there is nothing at all.

    Bytes that are not UTF-8 become U+FFFD: one of them in a message must not cost the answer.
    """
    if not raw.strip():
        raise FormatError(f"{where}: no output, expected {expected}")
    return codec.parse(raw.decode("utf-8", "replace").encode(), where, mend_surrogates=True)


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def string(value: Any) -> str | None:
    """A string that holds anything."""
    return value if isinstance(value, str) and value.strip() else None


def index(value: Any) -> int | None:
    """A position in an array; -1 is how SARIF writes that there is none."""
    return value if type(value) is int and value >= 0 else None


def at(values: Any, position: Any) -> Mapping[str, Any]:
    """The object at `position` of an array; empty where there is none."""
    n = index(position)
    return mapping(values[n]) if n is not None and isinstance(values, list) and n < len(values) else {}


def line(value: Any) -> int | None:
    """A line number; 0 and less are how tools write that there is none."""
    return value if type(value) is int and value > 0 else None


def no_line(value: Any) -> bool:
    """Whether something stands where a line should and is none; nothing, or a number below 1, is not that."""
    return value is not None and not (type(value) is int and value <= 0) and line(value) is None


def last_line(first: int | None, last: Any, column: Any) -> int | None:
    """The last line of a region that ends before `column` of line `last`: before column 1 is the line above."""
    end = line(last)
    if first is None or end is None:
        return None
    return end - 1 if column == 1 and end > first else end
