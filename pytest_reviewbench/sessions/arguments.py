"""What the arguments of agents' tools name: most agents call the same things by similar words."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from pytest_reviewbench.sessions.event_stream import Event

PATHS = ("file_path", "filePath", "absolute_path", "path", "dir_path", "notebook_path")

_LEADS_OUT = re.compile(r"(?:/|~|\.\.)[^\n]*|[^\n]*/\.\.(?:/[^\n]*)?|(?:[^\n]*/)?\.git(?:/[^\n]*)?")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+")


def named_paths(name: str, arguments: Event, known: Collection[str]) -> tuple[str, ...]:
    """The paths that the tool `name` was given; in the arguments of one that is not `known`, all that can be one.

    A tool called glob lists names: its `pattern` is one, and counts from the folder beside it.
    """
    if name not in known:
        return paths_anywhere(arguments)
    given = [path for word in PATHS if (path := arguments.text(word))]
    pattern = arguments.text("pattern") if name.lower() == "glob" else None
    if pattern:
        given = [posixpath.join(*given[:1], pattern)]
    return tuple(given)


def paths_anywhere(arguments: Event) -> tuple[str, ...]:
    """All that can be a path in the arguments, however deep.

    What a path is usually called by, and every string that leads out of a folder or is a `file:` address.
    """
    found = dict.fromkeys(path for word in PATHS if (path := arguments.text(word)))
    for said in _strings(arguments):
        if said.lower().startswith("file:"):
            found[unquote(_path_of(said))] = None
        elif _LEADS_OUT.fullmatch(said):
            found[said] = None
    return tuple(filter(None, found))


def asked_of_web(name: str, arguments: Event, known: Collection[str]) -> str | None:
    """The address or the query that a tool of the web was given, or one that is not `known`; None: no such look."""
    if "web" in name.lower():
        return next((said for word in ("url", "query", "prompt") if (said := arguments.text(word))), "")
    if name in known:
        return None
    return next(
        (said for said in _strings(arguments) if _ADDRESS.fullmatch(said) and not said.lower().startswith("file:")),
        None,
    )


def _path_of(address: str) -> str:
    try:
        return urlsplit(address).path
    except ValueError:  # no host can be read in it
        return address.partition(":")[2]


def _strings(value: Any) -> Iterator[str]:
    """Every string in `value`, those of inner objects and lists as well, in order."""
    left = [value]
    while left:
        inner = left.pop()
        if isinstance(inner, str):
            yield inner
        elif isinstance(inner, dict):
            left += reversed(inner.values())
        elif isinstance(inner, list):
            left += reversed(inner)
