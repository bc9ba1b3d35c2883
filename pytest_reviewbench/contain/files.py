"""Reading files of others: untrusted, so bounded, and never through a link."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from pytest_reviewbench.errors import CorpusError


def read_bounded(path: str | Path, limit: int) -> bytes:
    """The bytes of the regular file `path`. Raises `CorpusError` for a link, a device, or over `limit` bytes."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as e:
        if e.errno == errno.ELOOP:  # what O_NOFOLLOW says of a link
            raise CorpusError(f"{path}: is a link; a corpus holds its files itself") from None
        raise CorpusError(f"{path}: cannot be read: {e.strerror}") from None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise CorpusError(f"{path}: is not a regular file")
    with open(descriptor, "rb", buffering=0) as file:
        try:
            data = b"" if found.st_size > limit else file.read(found.st_size + 1)
        except OSError as e:
            raise CorpusError(f"{path}: cannot be read: {e.strerror}") from None
    if max(found.st_size, len(data)) > limit:
        raise CorpusError(f"{path}: larger than {limit:,} bytes ({found.st_size:,}); make the case smaller")
    return data


def files_below(folder: str | Path) -> Iterator[str]:
    """Relative paths (with `/`) of all files below `folder`, sorted within each folder; none when it is not there.

    Raises `CorpusError` for a link. Does without pathlib: a large corpus has tens of thousands of files.
    """
    left = [""]
    while left:
        inside = left.pop()
        try:
            with os.scandir(f"{folder}/{inside}") as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except FileNotFoundError:
            continue
        except OSError as e:
            raise CorpusError(f"{folder}/{inside}: cannot be read: {e.strerror}") from None
        folders = []
        for entry in entries:
            if entry.is_symlink():
                raise CorpusError(f"{entry.path}: is a link; a corpus holds its files itself")
            if entry.is_dir():
                folders.append(f"{inside}{entry.name}/")
            else:
                yield inside + entry.name
        left += reversed(folders)


def links_out(folder: Path) -> dict[str, str]:
    """The links below `folder` that lead out of it, and where to: absolute paths."""
    found = {}
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = os.path.join(place, name)  # noqa: PTH118 (os.walk gives text)
            if os.path.islink(path) and not Path(target := os.path.realpath(path)).is_relative_to(folder):  # noqa: PTH114
                found[path] = target
    return found
