"""The formats in which a program may answer, by the word for `format = "..."`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pytest_reviewbench.answers.checkstyle import read_checkstyle
from pytest_reviewbench.answers.document import read_document
from pytest_reviewbench.answers.gathering import Parsed
from pytest_reviewbench.answers.github_comments import read_github
from pytest_reviewbench.answers.rdjson import read_rdjson, read_rdjsonl
from pytest_reviewbench.answers.sarif import read_sarif

Reader = Callable[[bytes, str, str | None], Parsed]
"""(document, its name for errors, where the reviewer saw the tree) -> items. Raises `FormatError`."""

DEFAULT = "json"


def _read_json(raw: bytes, where: str, _root: str | None = None) -> Parsed:
    return Parsed(tuple(read_document(raw.decode("utf-8", "replace").encode(), where)))


READERS: Mapping[str, Reader] = {
    DEFAULT: _read_json,
    "sarif": read_sarif,
    "rdjson": read_rdjson,
    "rdjsonl": read_rdjsonl,
    "checkstyle": read_checkstyle,
    "github": read_github,
}
