"""What surrounds an answer in free text: reasoning that is none, fenced blocks, and a list that stands alone."""

from __future__ import annotations

import re
from bisect import bisect_right

TAGS = ("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "antml:thinking")
"""Between these a model talks to itself; nothing there is an answer."""

_NAMES = "|".join(TAGS)
_EVENT = re.compile(
    rf"<(/?)({_NAMES})(?:\s[^<>\n]{{0,80}})?>|\[(/?)(THINK)\]"
    r"|\[(?!\s*+\[\s*+\[)(?=\s*+(?:[\[{\]\"'“/#,\w.-]|\Z))"
    r"|\{(?=\s*+(?:[\"'“][^\"'“”\n\\]{1,80}[\"'”]|[a-z_$][\w$-]{0,80})\s*+:|\s*+(?://|/\*|#))",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t>]{0,20}(?:`{3,}|~{3,})[ \t]*+([^\s`]{0,40})[^\n`]*$", re.MULTILINE)
_ANSWER_BLOCKS = frozenset(
    ("", "json", "json5", "jsonc", "jsonl", "ndjson", "text", "txt", "plain", "plaintext", "output", "answer")
)
_QUOTES = "`\"'"

_NAMED = (
    "answer|final|findings?|results?|output|json|review|issues|bugs|defects|problems|vulnerabilities|found|none"
)
_BLANK = re.compile(r"[\s>*_`~-]*(?:json[ \t]+)?", re.IGNORECASE)
_BEHIND = re.compile(rf"\b(?:{_NAMED})[\s*_`~\"]*:\Z", re.IGNORECASE)
_AFTER = re.compile(r"[\s*_`~.]*")
_REMARK = re.compile(r"[\s*_`]*[(–—-].*")
_LINE_PART = 300


def next_event(text: str, pos: int) -> tuple[str, int] | None:
    """Where something could begin from `pos` on: its kind and place.

    Kinds: `open` (a bracket or brace), `closed` (behind a reasoning tag that ends what nobody opened: all before it
    was reasoning). Reasoning itself is passed over; one that is never closed goes to the end. A tag in quotes or
    backticks is a word like any other.
    """
    while found := _EVENT.search(text, pos):
        start, pos = found.span()
        name = found[2] or found[4]
        if name is None:
            return "open", start
        if start and text[start - 1] in _QUOTES and text[pos : pos + 1] == text[start - 1]:
            continue
        if found[1] or found[3]:
            return "closed", pos
        end = _closing(name, "[" if found[4] else "<").search(text, pos)
        pos = end.end() if end else len(text)
    return None


def _closing(name: str, bracket: str) -> re.Pattern[str]:
    tag = rf"\[/{name}\]" if bracket == "[" else rf"</{re.escape(name)}\s{{0,9}}>"
    return re.compile(tag, re.IGNORECASE)


class Blocks:
    """The fenced blocks of a text. A fence with an info string opens a block even where one is open."""

    def __init__(self, text: str) -> None:
        self._starts: list[int] = []
        self._languages: list[str | None] = []
        for found in _FENCE.finditer(text):
            language = found[1].strip("{}.:").lower()
            inside = bool(self._languages) and self._languages[-1] is not None
            self._starts.append(found.start())
            self._languages.append(None if inside and not language else language)

    def code_at(self, pos: int) -> str | None:
        """The language of the block around `pos`, when it is one in which code is quoted, not an answer given."""
        n = bisect_right(self._starts, pos) - 1
        language = self._languages[n] if n >= 0 else None
        return None if language is None or language in _ANSWER_BLOCKS else language


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` has its lines to itself, or ends one behind a word for an answer and a colon.

    An empty list in the middle of a sentence is part of the sentence, not a review that found nothing.
    """
    before = text[max(0, start - _LINE_PART) : start].rpartition("\n")[2]
    after = text[end : end + _LINE_PART].partition("\n")[0]
    if not _BLANK.fullmatch(before):
        before = before.rstrip(" \t*_`~")
        if not before.endswith(":") or not _BEHIND.search(before[-40:]):
            return False
    return bool(_AFTER.fullmatch(after)) or (not before.strip() and bool(_REMARK.fullmatch(after)))
