"""Reading files of a corpus: untrusted, so bounded, and never through a link."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from pytest_reviewbench.errors import CorpusError


def read_bounded(path: Path, limit: int) -> bytes:
    """The bytes of the regular file `path`. Raises `CorpusError` for a link, a device, or over `limit` bytes."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as e:
        if path.is_symlink():
            raise CorpusError(f"{path}: is a link; a corpus holds its files itself") from None
        raise CorpusError(f"{path}: cannot be read: {e.strerror}") from None
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise CorpusError(f"{path}: is not a regular file")
        data = file.read(limit + 1)
    if len(data) > limit:
        raise CorpusError(f"{path}: larger than {limit:,} bytes ({found.st_size:,}); make the case smaller")
    return data
