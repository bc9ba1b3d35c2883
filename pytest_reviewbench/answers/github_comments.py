"""Review comments of a pull request, as GitHub's REST API gives them -> items.

A list of comments, pages of them, or reviews that hold their `comments`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_reviewbench.answers.gathering import Gathering, Parsed
from pytest_reviewbench.answers.loose import json_document, line, mapping, sequence, string
from pytest_reviewbench.errors import FormatError

EXPECTED = "review comments of a pull request (pulls/N/comments), or reviews with their comments"


def read_github(raw: bytes, where: str, _root: str | None = None) -> Parsed:
    """The findings of comments: those that begin a thread on a file or line.

    Raises `FormatError` for anything else, GitHub's own error messages among it.
    """
    document = json_document(raw, where, f"GitHub's {EXPECTED}")
    if isinstance(document, dict) and isinstance(document.get("comments"), list):
        document = [document]
    if isinstance(document, dict) and string(document.get("message")):
        raise FormatError(f"{where}: GitHub says {document['message'][:100]!r} instead of giving comments")
    if not isinstance(document, list):
        raise FormatError(f"{where}: expected GitHub's {EXPECTED}")
    gathering = Gathering(where, "comment", len(raw))
    for n, (comment, review) in enumerate(_comments(document, gathering)):
        _take(gathering, n, comment, review)
    return gathering.parsed()


def _comments(document: list[Any], gathering: Gathering) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Each comment with the review that holds it, if that does; a review's own words stand on no line."""
    for page in document:
        for entry in page if isinstance(page, list) else (page,):
            if isinstance(entry, dict) and isinstance(entry.get("comments"), list):
                if string(entry.get("body")):
                    gathering.no_finding("a review's summary")
                for comment in sequence(entry["comments"]):
                    yield comment, entry
            else:
                yield entry, {}


def _take(gathering: Gathering, n: int, comment: Any, review: Mapping[str, Any]) -> None:
    if not isinstance(comment, dict):
        gathering.unreadable(n, "no object")
        return
    text, path = string(comment.get("body")), string(comment.get("path"))
    if text is None or path is None:
        gathering.unreadable(n, "no body" if text is None else "no path, so no review comment")
        return
    if comment.get("in_reply_to_id") is not None:
        gathering.no_finding("a reply")
        return
    first, last = _lines(gathering, n, comment)
    user = mapping(comment.get("user")) or mapping(review.get("user"))
    gathering.add(text=text, file=path, line=first, end_line=last, tool=string(user.get("login")))


def _lines(gathering: Gathering, n: int, comment: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """First and last line in the file as the change leaves it; (None, None): the whole file."""
    if comment.get("subject_type") == "file":
        return None, None
    if comment.get("side") == "LEFT":
        gathering.doubt(n, "stands on a line from before the change, taken as the whole file")
        return None, None
    start, last = line(comment.get("start_line")), line(comment.get("line"))
    if last is None:
        start, last = line(comment.get("original_start_line")), line(comment.get("original_line"))
        if last is not None:
            gathering.doubt(n, "is outdated, the line is that of the commit it was written on")
    if last is None:
        gathering.doubt(n, "has no line, taken as the whole file")
        return None, None
    if start is None or start >= last or comment.get("start_side") == "LEFT":
        return last, None
    return start, last
