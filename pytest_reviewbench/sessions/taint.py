"""What a session looked at beyond its task, by the calls of its tools: other files, upstream packages, history.

Pure: calls in, short words out. What a session says is no call. A look that brought something in taints the
review, for nobody can tell what of its answer came from there; one that was refused or found nothing has brought
nothing in, so it is told apart and taints nothing. In doubt, something came in.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_reviewbench.errors import one_line
from pytest_reviewbench.redact import redacted
from pytest_reviewbench.sessions.looks import Look, looks_of
from pytest_reviewbench.sessions.protocol import Call

MOST = 20
MOST_OF_ONE = 200
WIDTH = 120

_COMPLAINT = re.compile(
    r"[\w./+@-]+: .*(?:No such file or directory|Permission denied|Operation not permitted|Not a directory"
    r"|Network is unreachable|command not found|Read-only file system)"
    r"|(?:fatal|error): .*|Stopping at filesystem boundary .*"
    r"|(?:ERROR|WARNING): .*|\[notice\] .*|npm (?:error|ERR!|warn|WARN|notice)\b.*"
    r"|curl: \(\d+\) .*|wget: .*|(?:Could not|Cannot|Unable to) (?:resolve|connect).*"
)
"""A line of a program that got nothing, from its beginning to its end: no line of a file is to look like one."""

_NOTHING = re.compile(r"(?:No (?:files|matches|results|resources)(?: were)? found\b[^\n]{0,200})?", re.IGNORECASE)
"""What a tool that searches says of itself, if anything."""

_UPSTREAM = re.compile(
    r"/(?:site-packages|dist-packages|node_modules)(?:/|\Z)|/\.npm(?:/|\Z)|/\.cache/(?:pip|uv)(?:/|\Z)"
)
_DEVICES = re.compile(r"/dev/(?:null|zero|full|u?random|tty|stdin|stdout|stderr|fd(?:/\d+)?)")
_PATH = re.compile(r"[^\s:;,|(){}<>\"'`$^\\!=]+(?: [^\s:;,|(){}<>\"'`$^\\!=]+)*")


@dataclass(frozen=True, slots=True)
class Ground:
    """Where a session stood. Absolute paths as it sees them.

    `folder` is its current one; `own` are the folders that are its own as well (the workspace, its HOME); `links`
    in those lead out of them (link -> target). `visible` says of a path outside whether anything can be seen there
    at all (in a sandbox: the system).
    """

    folder: str
    home: str
    own: tuple[str, ...] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    visible: Callable[[str], bool] = lambda _path: True


@dataclass(frozen=True, slots=True)
class Looked:
    """`taint` names the looks that brought something in, `refused` those that did not: `outside: Read /x/y`."""

    taint: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def looked_beyond(calls: Iterable[Call], ground: Ground) -> Looked:
    """What `calls` looked at beyond the task: kinds `outside`, `upstream`, `history` and `web`.

    Each once, in order, without secrets, at most `MOST` of them.
    """
    taint: dict[str, None] = {}
    refused: dict[str, None] = {}
    for call in calls:
        seen: set[tuple[str, str]] = set()
        brought = _Brought(call)
        for kind, said, look, path in _found(call, ground):
            if (kind, said) in seen:
                continue
            seen.add((kind, said))
            visible = path is None or kind == "history" or ground.visible(path)
            came = visible and brought.anything(look.path, path)
            (taint if came else refused)[one_line(redacted(f"{kind}: {said}"), WIDTH)] = None
            if len(seen) == MOST_OF_ONE:
                break
    return Looked(_capped(list(taint)), _capped([one for one in refused if one not in taint]))


def _capped(said: Sequence[str]) -> tuple[str, ...]:
    return tuple(said) if len(said) <= MOST else (*said[: MOST - 1], f"{len(said) - MOST + 1} more")


def _found(call: Call, ground: Ground) -> Iterator[tuple[str, str, Look, str | None]]:
    """(kind, what is said of it, the look, its absolute path if any) of each look of `call` beyond the task."""
    for look in looks_of(call, ground.folder):
        if look.path is None:
            yield look.kind, look.said, look, None
        elif found := _beyond(look.path, look.where, ground):
            kind, path = found
            yield kind, f"{look.said} {look.path}", look, path


def _beyond(written: str, where: str, ground: Ground) -> tuple[str, str] | None:
    """The kind and the absolute path of a look at a path that is not the session's own, or is its history."""
    written = re.sub(r"\A(?:~|\$HOME|\$\{HOME\})(?=/|\Z)", ground.home, written)
    written = re.sub(r"\A(?:\$PWD|\$\{PWD\})(?=/|\Z)", where, written)
    written = re.sub(r"\{[^{}]*\}", "*", written)
    if not _PATH.fullmatch(written) or _DEVICES.fullmatch(written):
        return None
    path = posixpath.normpath(posixpath.join(where, written))
    if ".git" in path.split("/"):
        return "history", path
    if any(_within(path, folder) for folder in (ground.folder, ground.home, *ground.own)):
        link = next((link for link in ground.links if _within(path, link)), None)
        if link is None:
            return None
        path = posixpath.normpath(ground.links[link] + path[len(link) :])
    if path.startswith("/dev/tcp/"):
        return "web", path
    return ("upstream" if _UPSTREAM.search(path) else "outside"), path


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


class _Brought:
    """What a call brought in, as far as can be told."""

    def __init__(self, call: Call) -> None:
        self._all = not call.failed and (call.output is None or _NOTHING.fullmatch(call.output.strip()) is None)
        self._complaints: list[str] = []
        if call.command is not None and call.output is not None:
            lines = [line.strip() for line in call.output.splitlines() if line.strip()]
            self._complaints = [line for line in lines if _COMPLAINT.fullmatch(line)]
            self._all = len(self._complaints) < len(lines)
            del self._complaints[MOST_OF_ONE:]

    def anything(self, *paths: str | None) -> bool:
        """Anything at all, and anything of what has the names `paths`: no complaint must be about it."""
        names = [path for path in paths if path is not None]
        return self._all and not any(_names(line, name) for name in names for line in self._complaints)


def _names(line: str, path: str) -> bool:
    """Whether a complaint is about `path`, whole."""
    return re.search(rf"(?<![\w./-]){re.escape(path)}/?(?![\w./-])", line) is not None
