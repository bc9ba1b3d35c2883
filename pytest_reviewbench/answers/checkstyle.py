"""Checkstyle's XML, which dozens of analysers write -> items.

Read as a stream by expat, which resolves nothing: a document type, the only place where entities can be declared,
is refused as soon as it begins.
"""

from __future__ import annotations

import re
from typing import Any
from xml.parsers import expat

from pytest_reviewbench.answers.gathering import Gathering, Parsed
from pytest_reviewbench.answers.loose import string
from pytest_reviewbench.errors import FormatError

DEPTH = 100
IGNORED = "ignore"
"""The severity of a complaint that Checkstyle's configuration has switched off."""

_DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})""")
_DIGITS = re.compile(r"\s*0*([1-9][0-9]{0,7})\s*")


class _Refused(Exception):
    """Raised through expat by a handler."""


class _Document:
    """What has been read of one document."""

    def __init__(self, gathering: Gathering) -> None:
        self.gathering = gathering
        self.failures = 0
        self._depth = 0
        self._file: str | None = None
        self._errors = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth == 1 and name != "checkstyle":
            raise _Refused(f"expected the root element checkstyle, got {name[:40]!r}")
        if self._depth > DEPTH:
            raise _Refused("nested too deeply to be read")
        if name == "file":
            self._file = string(attributes.get("name"))
        elif name == "exception":
            self.failures += 1
        elif name == "error":
            self._error(attributes)
            self._errors += 1

    def end(self, name: str) -> None:
        self._depth -= 1
        if name == "file":
            self._file = None

    def _error(self, said: dict[str, str]) -> None:
        severity, text, line = said.get("severity"), string(said.get("message")), said.get("line")
        if severity == IGNORED:
            self.gathering.no_finding("of severity ignore")
        elif text is None:
            self.gathering.unreadable(self._errors, "no message")
        else:
            found = _DIGITS.fullmatch(line or "")
            if line is not None and found is None and line.strip().strip("0"):
                self.gathering.doubt(self._errors, "its line is no number, taken as the whole file")
            self.gathering.add(
                text=text,
                file=self._file,
                line=int(found[1]) if found else None,
                severity=string(severity),
                rule=string(said.get("source")),
            )


def read_checkstyle(raw: bytes, where: str, _root: str | None = None) -> Parsed:
    """The findings of a document, in its order.

    Raises `FormatError` when it is no well-formed document of checkstyle, has a document type, or holds nothing but
    exceptions, which is how an analyser says that it failed.
    """
    if not raw.strip():
        raise FormatError(f"{where}: no output, expected Checkstyle XML")
    document = _Document(Gathering(where, "error", len(raw)))
    parser = expat.ParserCreate()
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.StartDoctypeDeclHandler = _no_document_type
    parser.StartElementHandler = document.start
    parser.EndElementHandler = document.end
    try:
        parser.Parse(_in_utf8(raw), True)
    except expat.ExpatError as e:
        said = expat.ErrorString(e.code)
        raise FormatError(f"{where}: not XML: {said} at line {e.lineno} column {e.offset}") from None
    except (_Refused, LookupError, ValueError) as e:  # an encoding that Python does not have, or cannot use
        raise FormatError(f"{where}: {e}") from None
    gathering = document.gathering
    if document.failures and gathering.empty:
        raise FormatError(f"{where}: the analyser failed on {document.failures} files, and has no error")
    if document.failures:
        gathering.note(f"the analyser failed on {document.failures} files; there may be more to find")
    return gathering.parsed()


def _no_document_type(*_: Any) -> None:
    raise _Refused("has a document type (<!DOCTYPE ...>), which is not read")


def _in_utf8(raw: bytes) -> bytes:
    """`raw`, mended where it is not the UTF-8 that it is said to be: one byte must not cost the answer."""
    declared = _DECLARED.match(raw.removeprefix(b"\xef\xbb\xbf"))
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff") or (declared and declared[1].lower() not in (b"utf-8", b"utf8")):
        return raw
    return raw.decode("utf-8", "replace").encode()
