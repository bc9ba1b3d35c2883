"""Loose items of an answer -> `Finding` values: one meaning per field, nothing dropped in silence."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from pytest_reviewbench.answers.lines import read_lines
from pytest_reviewbench.model import Finding, Severity
from pytest_reviewbench.redact import excerpt, redacted

TEXT_LIMIT = 40_000
FIELD_LIMIT = 200

SEVERITY_WORDS: Mapping[str, Severity] = {
    **dict.fromkeys(("critical", "blocker", "blocking", "showstopper", "fatal", "severe", "p0"), "critical"),
    **dict.fromkeys(("high", "major", "serious", "error", "important", "p1"), "high"),
    **dict.fromkeys(("medium", "moderate", "warning", "warn", "normal", "p2"), "medium"),
    **dict.fromkeys(
        ("low", "minor", "info", "informational", "information", "note", "notice", "hint", "p3"), "low"
    ),
    **dict.fromkeys(("suggestion", "nit", "nitpick", "style", "cosmetic", "trivial"), "low"),
}
"""Words of reviewers and analysers; any other word is null, never a guess."""

_LINE_AT_END = re.compile(
    r"(.*?[^\s:])(?::(\d{1,8}(?:[-–:]\d{1,8})?)|#(L\d{1,8}(?:-L?\d{1,8})?)|\s*\((lines?\s.{1,20})\))"
)
"""`src/a.py:12`, `src/a.py#L12-L14`, `src/a.py (line 12)`."""

_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_WRAPPING = "`\"'*"


@dataclass(frozen=True, slots=True)
class Normalised:
    """The findings of one answer and what had to be decided about them, in one line each."""

    findings: tuple[Finding, ...]
    warnings: tuple[str, ...]


def normalise(
    items: Iterable[Mapping[str, Any]], files: Collection[str], root: str | None = None, tree: Iterable[str] = ()
) -> Normalised:
    """`items` as findings, in the order given.

    An item has `text` and may have `file`, `line`, `end_line`, `severity`, `tool`, `rule`. `files` are the
    paths of the change, `tree` all that are known; `root` is where the reviewer saw the tree, to be cut off
    absolute paths. Items without text are left out with a warning; a field that cannot be read is null, with one.
    Secrets are replaced before anything is cut or gets its id.
    """
    findings, warnings = [], []
    folders = _folders((*files, *tree))
    for n, item in enumerate(items):
        text = redacted(clean_text(item.get("text")))
        if not text:
            warnings.append(f"item {n}: no text, left out")
            continue
        if len(text) > TEXT_LIMIT:
            warnings.append(f"item {n}: text cut at {TEXT_LIMIT} characters")
            text = text[:TEXT_LIMIT]
        file, at = _place(item.get("file"), files, root, folders)
        said = item.get("line") if item.get("line") is not None else at
        lines = read_lines(said, item.get("end_line"))
        line, end_line = lines.first, lines.last
        if lines.more:
            warnings.append(f"item {n}: line {_said(said)} names several, the first is taken")
        if line is None and item.get("line") is not None:
            warnings.append(f"item {n}: line {_said(item['line'])} is no line number, taken as the whole file")
        elif end_line is None and item.get("end_line") is not None:
            warnings.append(f"item {n}: end_line {_said(item['end_line'])} cannot be used, left out")
        if file is None and item.get("file"):
            warnings.append(f"item {n}: file {_said(item['file'])} is no path, taken as null")
        severity = _severity(item.get("severity"))
        if severity is None and item.get("severity") is not None:
            warnings.append(f"item {n}: severity {_said(item['severity'])} is not known, taken as null")
        findings.append(
            Finding(
                id="",
                file=file,
                line=line,
                end_line=end_line,
                severity=severity,
                text=text,
                tool=excerpt(clean_text(item.get("tool")), FIELD_LIMIT) or None,
                rule=excerpt(clean_text(item.get("rule")), FIELD_LIMIT) or None,
            )
        )
    return Normalised(tuple(_with_ids(findings)), tuple(clean_text(warning) for warning in warnings))


def clean_text(value: Any) -> str:
    """A string without control characters (tab and line feed stay); anything that is not a string is empty."""
    if not isinstance(value, str):
        return ""
    value = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return "".join(c for c in value if (c >= " " and not "\x7f" <= c <= "\x9f") or c in "\t\n").strip()


def tree_path(
    value: Any, files: Collection[str], root: str | None = None, folders: Collection[str] = ()
) -> str | None:
    """A reported path as a path of the reviewed tree, or None.

    A diff's own `a/` or `b/` is cut off only when the path with it is not in the change, without it is, and the
    folder that it names is not one of the tree (`folders` are all of those). Quotes, backticks and a line behind it
    (`a.py:12`) go; URL escapes are undone when that makes it a path of the change.
    """
    return _place(value, files, root, folders)[0]


def _place(
    value: Any, files: Collection[str], root: str | None, folders: Collection[str]
) -> tuple[str | None, str | None]:
    """The path, and the line that stands behind it as in `a.py:12`. A file of the change is always that file."""
    said = redacted(clean_text(value)).replace("\n", "")
    if (path := _in_tree(said, files, root, folders)) in files:
        return path, None
    bare = _unwrapped(said)
    found = _LINE_AT_END.fullmatch(bare)
    bare, line = (_unwrapped(found[1]), found[2] or found[3] or found[4]) if found else (bare, None)
    plain = unquote(bare)
    if bare.startswith("file://"):
        bare = plain.removeprefix("file://")
    path = _in_tree(bare, files, root, folders)
    if path not in files and (unescaped := _in_tree(plain, files, root, folders)) in files:
        path = unescaped
    return path, line


def _unwrapped(path: str) -> str:
    while len(path) > 2 and path[0] == path[-1] and path[0] in _WRAPPING:
        path = path[1:-1].strip()
    return path


def _in_tree(path: str, files: Collection[str], root: str | None, folders: Collection[str]) -> str | None:
    path = path.replace("\\", "/")
    if root and path.startswith(root.rstrip("/") + "/"):
        path = path[len(root.rstrip("/")) + 1 :]
    path = posixpath.normpath(path) if path else ""
    if path in ("", "."):
        return None
    if path not in files and path[:2] in ("a/", "b/") and path[2:] in files:
        path = path if posixpath.dirname(path) in folders else path[2:]
    return excerpt(path, 1000)  # again: two halves of a secret may have come together


def _folders(paths: Iterable[str]) -> frozenset[str]:
    """Every folder on the way to one of `paths`."""
    found: set[str] = set()
    for path in paths:
        while (path := posixpath.dirname(path)) and path not in found:
            found.add(path)
    return frozenset(found)


def _said(value: Any) -> str:
    """The start of a value for a warning; a hostile one (an integer of 5,000 digits) is named by its type."""
    try:
        return repr(excerpt(str(value), 40))
    except (ValueError, RecursionError):
        return f"of type {type(value).__name__}"


def _severity(value: Any) -> Severity | None:
    return SEVERITY_WORDS.get(_EDGES.sub("", value.lower())) if isinstance(value, str) else None


def _with_ids(findings: Iterable[Finding]) -> Iterable[Finding]:
    """Ids from content, so that the same answer always gets the same ids; identical findings are suffixed."""
    seen: Counter[str] = Counter()
    for f in findings:
        content = json.dumps([f.file, f.line, f.end_line, f.text], ensure_ascii=True, separators=(",", ":"))
        name = hashlib.sha256(content.encode()).hexdigest()[:12]
        seen[name] += 1
        suffix = f"-{seen[name]}" if seen[name] > 1 else ""
        yield Finding(**{field: getattr(f, field) for field in f.__struct_fields__} | {"id": name + suffix})
