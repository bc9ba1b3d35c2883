"""What the arguments of tools name, also those of tools that nobody knows."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_reviewbench.sessions.arguments import asked_of_web, named_paths
from pytest_reviewbench.sessions.event_stream import Event

KNOWN = ("Read", "Grep", "Glob")


@pytest.mark.parametrize(
    ("name", "arguments", "paths"),
    [
        ("Read", {"file_path": "a", "note": "/etc/passwd"}, ("a",)),
        ("Grep", {"pattern": "/etc/passwd"}, ()),
        ("Glob", {"pattern": "*.py", "path": "/x"}, ("/x/*.py",)),
        ("other", {"p": "/etc/passwd"}, ("/etc/passwd",)),
        ("other", {"of": [{"deep": ["~/x", {"er": "../y"}]}]}, ("~/x", "../y")),
        ("other", {"uri": "file:///etc/pass%77d"}, ("/etc/passwd",)),
        ("other", {"uri": "FILE:/etc/passwd"}, ("/etc/passwd",)),
        ("other", {"uri": "file://[x/y"}, ("//[x/y",)),
        ("other", {"path": "a", "x": "a/../../b", "y": "a/.git/HEAD"}, ("a", "a/../../b", "a/.git/HEAD")),
        ("other", {"said": "no path", "n": 3, "none": None, "text": "/a\n/b", "dots": "1..2"}, ()),
    ],
)
def test_what_can_be_a_path_is_one_unless_the_tool_is_known(
    name: str, arguments: dict[str, Any], paths: tuple[str, ...]
) -> None:
    assert named_paths(name, Event(arguments), KNOWN) == paths


@pytest.mark.parametrize(
    ("name", "arguments", "asked"),
    [
        ("WebSearch", {"query": "x"}, "x"),
        ("google_web_search", {}, ""),
        ("Grep", {"pattern": "https://h.example"}, None),
        ("other", {"at": ["https://h.example/x"]}, "https://h.example/x"),
        ("other", {"at": "file:///x", "said": "see https://h.example/x"}, None),
    ],
)
def test_what_is_asked_of_the_web(name: str, arguments: dict[str, Any], asked: str | None) -> None:
    assert asked_of_web(name, Event(arguments), KNOWN) == asked
