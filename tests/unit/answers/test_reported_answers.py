"""Every row of ../shared/data/reviewer-output-cases.jsonl: what reviewers really print, by public reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.answers.extract import Extracted, extract
from pytest_reviewbench.answers.normalise import normalise, tree_path
from pytest_reviewbench.model import Finding

ROWS = Path(__file__).parents[4] / "shared" / "data" / "reviewer-output-cases.jsonl"

Place = tuple[str | None, int | None]

READ: dict[str, list[tuple[Place, str]]] = {
    "pub-001": [(("a.py", 3), "off by one")],
    "pub-003": [(("a.sh", 1), "unquoted var")],
    "pub-004": [(("doc.md", 9), "fence ```py is never closed")],
    "pub-005": [(("a.md", 1), "use ```sh here``` instead")],
    "pub-006": [(("a.py", 2), "x")],
    "pub-007": [(("m.py", 7), "None deref")],
    "pub-008": [(("ci.yml", 4), "secret printed")],
    "pub-010": [(("a.py", 5), "bad")],
    "pub-011": [(("a.py", 9), "final")],
    "pub-013": [(("a.py", 2), "x")],
    "pub-014": [(("p.js", 3), "regex misses <think> without </think>")],
    "pub-015": [(("a.py", 2), "first line\nsecond line")],
    "pub-016": [(("a.py", 2), "regex \\d+ is wrong")],
    "pub-017": [(("a.py", 2), "x")],
    "pub-023": [(("a.py", 12), "x"), (("a.py", None), "y"), (("a.py", 7), "z")],
    "pub-026": [(("a.py", 10), "x")],
    "pub-027": [(("a", 1), "x"), (("a", 2), "y"), (("a", 3), "z")],
    "pub-043": [(("x", 8), "a"), (("y", None), "b\tc")],
}
"""Rows whose input is an answer that is read."""

NOT_READ: dict[str, tuple[int, str]] = {
    "pub-018": (1, "cut off"),
    "pub-019": (1, "cut off"),
    "pub-022": (0, "looks like YAML"),
    "pub-042": (0, "no list of findings"),
}
"""Rows whose input is no complete answer: how many findings are kept beside the reason, and a word of it."""

WARNED = {
    "pub-011": "2 lists of findings",
    "pub-015": "control characters",
    "pub-016": "escapes that JSON does not have",
    "pub-017": "a trailing comma, comments",
    "pub-043": "control characters",
}

PATHS = {"pub-028": ("a/bar.py", ("a/bar.py",), (), "a/bar.py"), "pub-029": ("b/x.py", ("x.py",), ("b",), "b/x.py")}
"""Rows about paths: what is said, the files of the change, folders of the tree, what it means."""

ELSEWHERE = {
    "issue 2 (patches, scoring, the corpus, runs)": (
        "pub-034", "pub-035", "pub-036", "pub-038", "pub-055",
        "pub-060", "pub-064", "pub-065", "pub-066", "pub-071",
    ),
    "issue 4 (the judge)": ("pub-044", "pub-047", "pub-048"),
    "issue 6 (sarif, rdjson, comparison, statistics, reports)": (
        "pub-039", "pub-040", "pub-052", "pub-054", "pub-062", "pub-063", "pub-070",
    ),
}  # fmt: skip
"""Rows that are about something else than the text of an answer, by the issue that has their part."""


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[str, Any]]:
    if not ROWS.exists():
        pytest.skip(
            f"no {ROWS}: the reported answers are read beside the checkout, answers.jsonl is our own sample"
        )
    return {row["id"]: row for row in map(json.loads, ROWS.read_text().splitlines())}


def findings(made: Extracted) -> tuple[Finding, ...]:
    return normalise(made.items, ()).findings


def test_every_row_is_in_exactly_one_place(rows: dict[str, Any]) -> None:
    named = [*READ, *NOT_READ, *PATHS, *(name for names in ELSEWHERE.values() for name in names)]
    assert sorted(named) == sorted(rows)


@pytest.mark.parametrize("name", READ)
def test_a_reported_answer_is_read(rows: dict[str, Any], name: str) -> None:
    made = extract(rows[name]["input"])
    assert made.unparsable is None
    assert [((finding.file, finding.line), finding.text) for finding in findings(made)] == READ[name]
    if name in WARNED:
        assert WARNED[name] in " | ".join(made.warnings)
    else:
        assert made.warnings == ()


@pytest.mark.parametrize("name", NOT_READ)
def test_a_reported_answer_that_is_none_says_why(rows: dict[str, Any], name: str) -> None:
    made = extract(rows[name]["input"])
    kept, word = NOT_READ[name]
    assert made.unparsable is not None
    assert word in made.unparsable
    assert len(findings(made)) == kept


def test_reported_ranges_and_severities(rows: dict[str, Any]) -> None:
    (turned,) = findings(extract(rows["pub-026"]["input"]))
    assert (turned.line, turned.end_line) == (10, 20)
    severities = [finding.severity for finding in findings(extract(rows["pub-027"]["input"]))]
    assert severities == ["critical", "critical", None]


@pytest.mark.parametrize("name", PATHS)
def test_a_reported_path_keeps_its_folder(rows: dict[str, Any], name: str) -> None:
    said, files, folders, expected = PATHS[name]
    assert said in rows[name]["input"]
    assert tree_path(said, files, folders=folders) == expected
