"""Quoted strings as models write them: raw line ends, escapes that are none, other quotes, quotes within."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

STRICT = re.compile(
    r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"',
)
"""A JSON string by the book."""

KEY = re.compile(r"'[^'\"\n\\]{0,80}'|“[^“”\"\n\\]{0,80}”|[A-Za-z_$][\w$-]{0,80}(?=\s*+:)")
"""Keys that are not JSON strings. They hold no quotes and no line ends, so that prose is not taken for one."""

_NEXT_KEY = r"(?:\"(?:[^\"\n\\]|\\.){0,80}\"|['“][^\"'“”\n\\]{1,80}['”]|[A-Za-z_$][\w$-]{0,80})\s*+:"
_COMMENT = r"//|/\*|#"
END: Mapping[bool, re.Pattern[str]] = {
    True: re.compile(rf"\s*+(?:[}}\]]|\Z|{_COMMENT}|,\s*+(?:[}}\]]|\Z|{_COMMENT}|{_NEXT_KEY})|{_NEXT_KEY})"),
    False: re.compile(rf"\s*+(?:[,\]]|\Z|{_COMMENT})"),
}
"""What follows the closing quote of a value, in an object (True) or a list; another quote is part of the text."""

_CLOSING = {'"': '"', "'": "'", "“": "”"}
_PIECE = {
    quote: re.compile(rf"[^{close}\\]*+(?:\\.[^{close}\\]*+)*+", re.DOTALL) for quote, close in _CLOSING.items()
}
_NEW_ITEM = re.compile(r"\}\s*+,\s*+\{\s*+[\"'“]")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_MEANT = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CONTROL = re.compile(r"[\x00-\x1f]")


@dataclass(frozen=True, slots=True)
class Quoted:
    """A string, where it ends, and what had to be mended.

    `cut`: the closing quote is missing. `broken`: it is no string, as could be seen at `end`. `pieces` is how often
    it was asked whether it ends.
    """

    value: str
    end: int
    cut: bool = False
    broken: bool = False
    mends: set[str] = field(default_factory=set)
    pieces: int = 1


def quoted(text: str, start: int, end: re.Pattern[str], limit: int) -> Quoted:
    """The string that opens at `start`; broken when it would reach `limit` or swallow the next item."""
    quote = text[start]
    close, piece = _CLOSING[quote], _PIECE[quote]
    mends = {"single quotes" if quote == "'" else "curly quotes"} if quote != '"' else set()
    pos, pieces = start + 1, 0
    while True:
        pieces += 1
        stop = piece.match(text, pos, limit).end()  # type: ignore[union-attr]  # it matches nothing as well
        if stop >= limit or _NEW_ITEM.search(text, pos, stop):
            return Quoted("", stop, broken=True, pieces=pieces)
        if stop >= len(text) or text[stop] != close:
            return Quoted("", len(text), cut=True, pieces=pieces)
        if end.match(text, stop + 1):
            return Quoted(unescaped(text[start + 1 : stop], mends), stop + 1, mends=mends, pieces=pieces)
        mends.add("quotes within a string")
        pos = stop + 1


def unescaped(raw: str, mends: set[str]) -> str:
    """`raw` with its escapes undone; one that JSON does not have stays as it is written, with its backslash."""

    def meant(found: re.Match[str]) -> str:
        escape = found[1]
        if len(escape) == 5:
            return chr(int(escape[1:], 16))
        if escape in _MEANT:
            return _MEANT[escape]
        mends.add("escapes that JSON does not have")
        if len(escape) == 3:
            return chr(int(escape[1:], 16))
        return escape if escape in "'`" else "" if escape == "\n" else found[0]

    if _CONTROL.search(raw):
        mends.add("control characters in a string")
    return _ESCAPE.sub(meant, raw)
