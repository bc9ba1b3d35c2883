"""What the reader of documents looks for, by the book and as models write it."""

from __future__ import annotations

import re
from typing import Any

DEPTH = 60
"""Containers within containers; what is deeper is no answer of a reviewer."""

FAILED = 100
"""A bracket that begins nothing costs as much as so many characters: only a text that is no answer has many."""

MOST_VALUES = 50_000
"""Values that are begun to be read of one text: some 10,000 findings. What takes time is values, not characters."""

PIECES = 10
"""Quotes within a string that take as long as a value."""

LONG_NUMBER = 18
"""More digits are kept as text: no line, no count, and nothing that every reader of JSON could take."""

SPACE = re.compile(r"[ \t\r\n]*+")
GAP = re.compile(r"(?:\s|[\ufeff\u200b\u2060]|//[^\n]{0,200}|#[^\n]{0,200}|/\*(?:[^*]|\*(?!/)){0,200}\*/)*+")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+-]?[0-9]++)?(?![\w.+-])")
WORD = re.compile(r"[\w.+~<>-][^\s,{}\[\]\"'`“”]{0,80}(?=\s*+(?:[,}\]]|\Z))")
RESYNC = re.compile(
    r"[,}\n]\s*+(?=\{\s*+[\"'“A-Za-z_])"  # the next item
    r"|\}\s*+,?\s*+(?=\]\s*+(?:\}\s*+)*+(?![,\]}]))"  # the end of the outermost list
)
JUNK = re.compile(r"[^\[\]{}\"',\n“”]{1,80}(?=[,\]\n])")
CUT_KEY = re.compile(r"(?:[\"'][^\n\"']{0,80}|[A-Za-z_$][\w$-]{0,80})\Z")
LETTERS = re.compile(r"-?[A-Za-z]++(?!\w)")
STRICT_WORDS = {"true": True, "false": False, "null": None}
LOOSE_WORDS = {
    "True": True,
    "False": False,
    "None": None,
    **dict.fromkeys(("undefined", "NaN", "nan", "Infinity", "-Infinity")),
}


def number(found: re.Match[str]) -> Any:
    """What `NUMBER` found, as text when a number would not hold it."""
    if len(found[0]) > LONG_NUMBER:
        return found[0]
    if not found[1] and not found[2]:
        return int(found[0])
    value = float(found[0])
    return value if abs(value) != float("inf") else found[0]
