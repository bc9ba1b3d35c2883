"""Text of strangers, so that it looks like what it is."""

from __future__ import annotations

import unicodedata

MARKED = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
"""Categories whose characters nobody sees: controls, direction marks, joiners, line separators."""


def visible(text: str, limit: int = 4_000) -> str:
    """`text` with what cannot be seen as `⟨U+202E⟩`, and cut at `limit` characters with a word of how much is left.

    Tabs and line feeds stay. Escaping for HTML is not done here: templates and `textContent` do that.
    """
    cut = text[:limit]
    if not cut.isascii() or not cut.isprintable():
        cut = "".join(c if c in "\t\n" or unicodedata.category(c) not in MARKED else _named(c) for c in cut)
    left = len(text) - limit
    return cut if left <= 0 else f"{cut} … ({left:,} more characters)"


def _named(c: str) -> str:
    return "" if c == "\r" else f"⟨U+{ord(c):04X}⟩"
