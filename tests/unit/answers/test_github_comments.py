"""GitHub's review comments as an answer."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_reviewbench.errors import FormatError
from tests.unit.answers.reading import SAMPLES, findings, read, rows


def test_the_sample_is_read() -> None:
    parsed = read("github", SAMPLES["github"])
    assert rows(parsed) == [
        ("pkg/a.py", 2, 4, None, "The index is past the end.", "someone", None),
        ("pkg/b.py", 12, None, None, "Outdated by a push.", None, None),
        ("pkg/b.py", None, None, None, "Why was this deleted?", None, None),
        ("pkg/b.py", None, None, None, "This file has no licence.", None, None),
        ("pkg/b.py", 5, None, None, "From the old line to the new one.", None, None),
        ("pkg/c.py", 1, None, None, "Held by its review.", "bot", None),
    ]
    assert parsed.warnings == (
        "left out, no findings: 1 a reply",
        "left out, no findings: 1 a review's summary",
        "comment 6: no path, so no review comment, left out",
        "comment 2: is outdated, the line is that of the commit it was written on",
        "comment 3: stands on a line from before the change, taken as the whole file",
    )


COMMENT = {"path": "a.py", "body": "boom", "line": 3}


@pytest.mark.parametrize(
    "document",
    [
        [COMMENT],
        [[COMMENT], []],
        [{"body": "", "comments": [COMMENT]}],
        {"event": "COMMENT", "comments": [COMMENT]},
    ],
    ids=["comments", "pages", "reviews", "a review to be posted"],
)
def test_every_shape_that_holds_comments_is_read(document: Any) -> None:
    (found,) = findings(read("github", document))
    assert (found.file, found.line, found.text) == ("a.py", 3, "boom")


@pytest.mark.parametrize("document", [[], [[]], [{"body": "Fine.", "comments": []}]])
def test_no_comment_is_a_review_that_found_nothing(document: Any) -> None:
    assert read("github", document).items == ()


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (b"", "no output"),
        (b"[{", "not JSON"),
        ({"message": "Not Found", "status": "404"}, "GitHub says 'Not Found' instead"),
        ({}, "expected GitHub's review comments"),
        ([{"body": "Fine.", "state": "APPROVED"}], "none of its comments can be read"),
        (["x"], "none of its comments can be read"),
    ],
)
def test_anything_else_is_refused_and_never_an_empty_review(document: Any, said: str) -> None:
    with pytest.raises(FormatError, match=f"^answer: .*{said}"):
        read("github", document)


@pytest.mark.parametrize(
    ("keys", "lines"),
    [
        ({"line": 5, "start_line": 5}, (5, None)),
        ({"line": 5, "start_line": 7}, (5, None)),
        ({"line": None, "original_line": 8, "original_start_line": 6}, (6, 8)),
        ({"line": None, "position": 4}, (None, None)),
        ({"line": "5"}, (None, None)),
    ],
)
def test_lines_are_those_that_are_given(keys: dict[str, Any], lines: Any) -> None:
    (found,) = findings(read("github", [{**COMMENT, **keys}]))
    assert (found.line, found.end_line) == lines
