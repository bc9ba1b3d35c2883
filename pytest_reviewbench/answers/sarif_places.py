"""Where a SARIF result is: the path of an artifact location, as far as it is one of the reviewed tree.

SARIF 2.1.0 §3.4 (artifactLocation), §3.14.14 (originalUriBaseIds); URIs as in RFC 3986.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from pytest_reviewbench.answers.loose import at, mapping, string

MOST_BASES = 20
PATH_LIMIT = 2_000

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")  # of one letter it is a drive
_FILE = re.compile(r"file:(?://(?:localhost)?(?=/))?(?!//)", re.IGNORECASE)


def artifact_path(run: Mapping[str, Any], location: Mapping[str, Any], root: str | None) -> str | None:
    """The path that `location` of `run` names; None: it names none, or something that is no file.

    `root` is where the reviewer saw the tree. A path below it comes absolute, for that to be cut off. Else it
    counts from the outermost base that its `uriBaseId` leads to, which is taken for the root of the tree: logs are
    written in containers, and may hide where their bases were.
    """
    if string(location.get("uri")) is None:
        location = mapping(at(run.get("artifacts"), location.get("index")).get("location"))
    uri = string(location.get("uri"))
    if uri is None or len(uri) > PATH_LIMIT:
        return None
    if _SCHEME.match(uri):
        return _path(uri)
    bases = _bases(mapping(run.get("originalUriBaseIds")), location.get("uriBaseId"))
    outermost = bases[-1] if bases else ""
    absolute = _path(outermost) if _SCHEME.match(outermost) or outermost.startswith("/") else None
    below = [base for base in reversed(bases[:-1] if absolute is not None else bases) if not _SCHEME.match(base)]
    relative = posixpath.join(*map(unquote, (*below, uri)))
    if root is not None and absolute is not None and relative:
        joined = posixpath.normpath(posixpath.join(absolute, relative))
        if joined.startswith(root.rstrip("/") + "/"):
            return joined
    return relative or None


def _bases(known: Mapping[str, Any], name: Any) -> list[str]:
    """The URIs that `name` stands for, the innermost first; one that is not told, or leads in a circle, is none."""
    found: list[str] = []
    for _ in range(MOST_BASES):
        base = mapping(known.get(name)) if isinstance(name, str) else {}
        uri = string(base.get("uri"))
        if uri is not None and len(uri) <= PATH_LIMIT:
            found.append(uri if uri.endswith("/") else f"{uri}/")
        name = base.get("uriBaseId")
        if name is None:
            return found
    return []


def _path(uri: str) -> str | None:
    """The path of an absolute URI or path; None: of anything but a file of this machine."""
    if not _SCHEME.match(uri):
        return unquote(uri)
    found = _FILE.match(uri)
    return (unquote(re.split("[?#]", uri[found.end() :])[0]) or None) if found else None
