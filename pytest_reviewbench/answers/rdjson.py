"""The Reviewdog Diagnostic Format, as one JSON document (`rdjson`) or a diagnostic a line (`rdjsonl`) -> items."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pytest_reviewbench import codec
from pytest_reviewbench.answers.gathering import MOST, Gathering, Parsed
from pytest_reviewbench.answers.loose import json_document, last_line, line, mapping, no_line, string
from pytest_reviewbench.errors import FormatError

NUMBERED: Mapping[int, str] = {1: "ERROR", 2: "WARNING", 3: "INFO"}
"""Severities as numbers: the format is a protocol buffer, whose JSON may have either."""

_DIGITS = re.compile(r"[0-9]{1,10}")

UNKNOWN = ("UNKNOWN_SEVERITY", 0, None)


def read_rdjson(raw: bytes, where: str, _root: str | None = None) -> Parsed:
    """The findings of a result. Raises `FormatError` when it has no `diagnostics`."""
    result = json_document(raw, where, 'rdjson, {"diagnostics": [...]}')
    if not isinstance(result, dict) or not isinstance(result.get("diagnostics"), list):
        raise FormatError(f'{where}: expected rdjson, {{"diagnostics": [...]}}')
    gathering = Gathering(where, "diagnostic", len(raw))
    for n, diagnostic in enumerate(result["diagnostics"]):
        _take(gathering, n, diagnostic, result)
    return gathering.parsed()


def read_rdjsonl(raw: bytes, where: str, _root: str | None = None) -> Parsed:
    """The findings of diagnostics, one a line. A line that is no JSON costs no other, unless it is the last.

    Then the output was cut. Raises `FormatError` for that, and when there is no line at all, not even an empty one:
    the format cannot tell a reviewer that found nothing from one that did nothing.
    """
    if not raw:
        raise FormatError(
            f"{where}: no output, not even an empty line; a program that finds nothing must say so (&& echo)"
        )
    lines = [text for text in raw.split(b"\n") if text.strip()]
    gathering = Gathering(where, "line", len(raw))
    if len(lines) > MOST:  # before each is read, which takes its time
        raise FormatError(f"{where}: holds over {MOST:,} lines")
    for n, text in enumerate(lines, 1):
        try:
            diagnostic = codec.parse(text.decode("utf-8", "replace").encode(), where, mend_surrogates=True)
        except FormatError as e:
            if n == len(lines):
                raise FormatError(f"{where}: its last line is cut or no JSON ({e})") from None
            gathering.unreadable(n, "no JSON")
            continue
        if isinstance(diagnostic, dict) and isinstance(diagnostic.get("diagnostics"), list):
            raise FormatError(f'{where}: line {n} is a whole rdjson document; write format = "rdjson"')
        _take(gathering, n, diagnostic, {})
    return gathering.parsed()


def _take(gathering: Gathering, n: int, diagnostic: Any, result: Mapping[str, Any]) -> None:
    if not isinstance(diagnostic, dict):
        gathering.unreadable(n, "no object")
        return
    text = string(diagnostic.get("message"))
    if text is None:
        gathering.unreadable(n, "no message")
        return
    location = mapping(diagnostic.get("location"))
    place = mapping(location.get("range"))
    end = mapping(place.get("end"))
    said = _number(mapping(place.get("start")).get("line"))
    first = line(said)
    if no_line(said):
        gathering.doubt(n, "its line is no number, taken as the whole file")
    source = mapping(diagnostic.get("source")) or mapping(result.get("source"))
    gathering.add(
        text=text,
        file=string(location.get("path")),
        line=first,
        end_line=last_line(first, _number(end.get("line")), _number(end.get("column"))),
        severity=_severity(diagnostic.get("severity")) or _severity(result.get("severity")),
        tool=string(source.get("name")),
        rule=string(mapping(diagnostic.get("code")).get("value")),
    )


def _number(said: Any) -> Any:
    """Numbers may be quoted: the JSON of protocol buffers has it so."""
    return int(said) if isinstance(said, str) and _DIGITS.fullmatch(said) else said


def _severity(said: Any) -> str | None:
    """The word; what is no word of the format is left to `normalise` to complain of."""
    if isinstance(said, bool | float | list | dict) or said in UNKNOWN:
        return None
    return NUMBERED.get(said, str(said)[:40]) if isinstance(said, int) and abs(said) < 100 else string(said)
