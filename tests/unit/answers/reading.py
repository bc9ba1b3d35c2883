"""Documents of other tools, read as an arm's answers are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pytest_reviewbench.answers.formats import READERS
from pytest_reviewbench.answers.gathering import Parsed
from pytest_reviewbench.answers.normalise import normalise
from pytest_reviewbench.model import Finding

SAMPLES = {
    name: (Path(__file__).parent / "samples" / file).read_bytes()
    for name, file in {
        "sarif": "sarif.json",
        "rdjson": "rdjson.json",
        "rdjsonl": "rdjsonl.jsonl",
        "checkstyle": "checkstyle.xml",
        "github": "github.json",
    }.items()
}
"""A document of each format, of our own, with what is no finding in it as well."""


def read(name: str, document: Any, root: str | None = None) -> Parsed:
    """`document` (bytes, or values for JSON) as the format `name`."""
    raw = document if isinstance(document, bytes) else json.dumps(document).encode()
    return READERS[name](raw, "answer", root)


def findings(parsed: Parsed) -> tuple[Finding, ...]:
    return normalise(parsed.items, ()).findings


def rows(parsed: Parsed) -> list[tuple[Any, ...]]:
    """(file, line, end_line, severity, text, tool, rule) of each finding."""
    return [(f.file, f.line, f.end_line, f.severity, f.text, f.tool, f.rule) for f in findings(parsed)]
