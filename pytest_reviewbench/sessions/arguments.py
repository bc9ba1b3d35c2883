"""What the arguments of agents' reading tools name: most agents call the same things by similar words."""

from __future__ import annotations

import posixpath

from pytest_reviewbench.sessions.event_stream import Event

PATHS = ("file_path", "filePath", "absolute_path", "path", "dir_path", "notebook_path")


def named_paths(arguments: Event, *, by_pattern: bool) -> tuple[str, ...]:
    """The paths that `arguments` name; `by_pattern`: the tool lists names, its `pattern` is one of those.

    A pattern counts from the folder beside it.
    """
    given = [path for word in PATHS if (path := arguments.text(word))]
    pattern = arguments.text("pattern") if by_pattern else None
    if pattern:
        given = [posixpath.join(*given[:1], pattern)]
    return tuple(given)


def asked_of_web(arguments: Event) -> str:
    """The address or the query that a tool of the web was given."""
    return next((said for word in ("url", "query", "prompt") if (said := arguments.text(word))), "")
