"""The files of a change that can be given to an analyser at all, and why the others cannot."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

LIMIT = 2_000_000
"""Bytes. Beyond it a minified bundle costs an analyser minutes and prints tens of megabytes."""


@dataclass(frozen=True, slots=True)
class Source:
    """A text file of the reviewed tree: its path there and its content, which is valid UTF-8."""

    path: str
    data: bytes

    @property
    def argument(self) -> str:
        """The path as an argument that is nothing else: pyrefly expands `@file` even behind `--`."""
        return f"./{self.path}"

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).name

    @property
    def suffix(self) -> str:
        """The last extension in lower case, with its dot; empty for none and for `.name`."""
        return PurePosixPath(self.path).suffix.lower()

    @property
    def shebang(self) -> str | None:
        """The first line without its `#!`, or None."""
        line = self.data.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0]
        return line[2:].decode().strip() if line.startswith(b"#!") else None


def read_sources(tree: Path, paths: Iterable[str]) -> tuple[list[Source], dict[str, str]]:
    """The readable ones of `paths` below `tree`, sorted, and for each other path the reason against it."""
    sources, unread = [], {}
    for path in sorted(paths):
        reason, data = _read(tree, path)
        if reason is None:
            sources.append(Source(path, data))
        else:
            unread[path] = reason
    return sources, unread


def rewrite(tree: Path, changed: Mapping[str, bytes]) -> None:
    """Put new content into files of `tree`, which must be a private copy. A read-only file is replaced as well."""
    for path, data in changed.items():
        place = tree / path
        place.unlink()
        place.write_bytes(data)


def _read(tree: Path, path: str) -> tuple[str | None, bytes]:
    # Such names do not survive the way from an analyser's output to a finding's `file`.
    if not path.isprintable() or "\\" in path or path.startswith("/") or ".." in path.split("/"):
        return "its name has characters that no path of a change may have", b""
    place = tree / path
    try:
        if place.is_symlink() or not place.is_file():
            return "not a regular file", b""
        if place.stat().st_size > LIMIT:
            return f"larger than {LIMIT:,} bytes", b""
        data = place.read_bytes()
    except OSError as e:
        return f"cannot be read: {os.strerror(e.errno or 0)}", b""
    if b"\0" in data:
        return "binary", b""
    try:
        data.decode()
    except UnicodeDecodeError:
        return "not UTF-8", b""
    return None, data
