"""The words under which reviewers put the fields of a finding, and where their documents keep the list."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

FIELD_WORDS: Mapping[str, tuple[str, ...]] = {
    "text": (
        "text", "message", "description", "body", "comment", "details", "detail", "explanation", "mechanism",
        "finding", "issue", "problem", "bug", "defect", "content", "note", "reason", "rationale", "summary",
        "message.text",
    ),
    "file": (
        "file", "path", "filename", "filepath", "file.path", "file.name",
        "location.path", "location.file", "location.filename", "location.filepath", "location",
    ),
    "line": (
        "line", "lineno", "linenumber", "startline", "linestart", "firstline", "lines", "linerange", "range",
        "line.start", "lines.start", "range.start", "range.start.line", "location.line", "location.lineno",
        "location.linenumber", "location.startline", "location.lines", "location.start.line",
        "location.range.start.line",
    ),
    "end_line": (
        "endline", "lineend", "lastline", "endlineno", "line.end", "lines.end", "range.end", "range.end.line",
        "location.endline", "location.end.line", "location.range.end.line",
    ),
    "severity": ("severity", "priority", "level", "criticality", "severitylevel"),
    "tool": ("tool", "toolname"),
    "rule": ("rule", "ruleid", "rulename", "checkid"),
}  # fmt: skip
"""For each field of ours the words that mean it, best first; letter case and `_ - .` within a word are nothing.

A dot goes one object down. The first word with a value that a field of its kind can have wins.
"""

TITLE_WORDS = ("title", "headline", "heading", "subject")
"""Said before a text that stands under another word than `text`; the text itself when there is no other."""

_PLACES: dict[str, list[tuple[str, int, str]]] = {}
for _field, _names in FIELD_WORDS.items():
    for _rank, _name in enumerate(_names):
        _PLACES.setdefault(_name.partition(".")[0], []).append((_field, _rank, _name))

LIST_WORDS = ("findings", "issues", "bugs", "defects", "problems", "comments", "reviewcomments", "vulnerabilities")
"""Under these an object keeps its findings, itself or one object further down."""


def squeezed(key: str) -> str:
    """`Start-Line`, `start_line` and `startLine` are one word."""
    return _squeezed(key[:80])


@functools.lru_cache(maxsize=1024)
def _squeezed(key: str) -> str:
    return re.sub(r"[^a-z0-9]", "", key.lower())


def canonical(item: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """`item` with our words for its fields, and which were found under others, as `message as text`.

    An item in our words comes back as it is. What stands under no word of the table stays untouched and unused.
    """
    words = {squeezed(key): value for key, value in reversed(tuple(item.items()))}
    best: dict[str, tuple[int, str, Any]] = {}
    for word in words.keys() & _PLACES.keys():
        for field, rank, name in _PLACES[word]:
            if field not in best or rank < best[field][0]:
                value = _under(words, name)
                if _usable(field, value):
                    best[field] = rank, name, value
    added: dict[str, Any] = {}
    moved: list[str] = []
    for field in FIELD_WORDS:
        if field in best and not _usable(field, item.get(field)):
            _, name, added[field] = best[field]
            if name != squeezed(field):
                moved.append(f"{name} as {field}")
    if not _usable("text", item.get("text")) and (title := _title(words)):
        text = added.get("text")
        if text is None:
            moved.append("title as text")
        added["text"] = title if text is None else text if text.startswith(title) else f"{title}\n{text}"
    return ({**item, **added} if added else item), tuple(moved)


def is_finding(value: Any) -> bool:
    """Whether `value` is an object that says something."""
    if not isinstance(value, dict):
        return False
    return _usable("text", value.get("text")) or _usable("text", canonical(value)[0].get("text"))


def has_place(value: Mapping[str, Any]) -> bool:
    """Whether `value` says where: without a text or a list around it, that tells a finding from other objects."""
    made = canonical(value)[0]
    return any(made.get(field) is not None for field in ("file", "line"))


def listed(value: Any) -> list[Any] | None:
    """The findings that a document keeps in a list, as raw items, or None when it has no such list.

    An object that groups findings under a file of its own gives that file to those that name none.
    """
    if isinstance(value, dict):
        own = list(_lists(value))
        nested = own or [found for inner in value.values() if isinstance(inner, dict) for found in _lists(inner)]
        value = [item for found in nested for item in found] if nested else None
    if not isinstance(value, list):
        return None
    return [inner for item in value for inner in _ungrouped(item)]


def _lists(value: Mapping[str, Any]) -> Iterator[list[Any]]:
    if is_finding(value) and has_place(value):
        return  # its `comments` are about it
    for key, inner in value.items():
        if squeezed(key) in LIST_WORDS and (isinstance(inner, list) or is_finding(inner)):
            yield inner if isinstance(inner, list) else [inner]


def _ungrouped(item: Any) -> list[Any]:
    if not isinstance(item, dict) or is_finding(item):
        return [item]
    inner = [one for found in _lists(item) for one in found]
    file = canonical(item)[0].get("file")
    if file is None:
        return inner or [item]
    return [{"file": file, **one} if isinstance(one, dict) else one for one in inner] or [item]


def _under(words: Mapping[str, Any], name: str) -> Any:
    first, _, rest = name.partition(".")
    value = words.get(first)
    for part in rest.split(".") if rest else ():
        if not isinstance(value, dict):
            return None
        value = next((inner for key, inner in value.items() if squeezed(key) == part), None)
    return value


def _usable(field: str, value: Any) -> bool:
    """Whether `value` can be meant as `field`; what cannot be read stays, so that somebody says so."""
    if field == "text":
        return isinstance(value, str) and bool(value.strip())
    return value is not None and not isinstance(value, dict | list)


def _title(words: Mapping[str, Any]) -> str | None:
    return next((words[word].strip() for word in TITLE_WORDS if _usable("text", words.get(word))), None)
