"""Files that are complete or absent, also when the machine stops in between."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_once(path: Path, data: bytes) -> None:
    """Write `data` to `path` so that a reader sees all or nothing. Raises `FileExistsError` if it is there."""
    temporary = _written(path, data)
    try:
        os.link(temporary, path)
    finally:
        temporary.unlink()
    _sync_folder(path.parent)


def replace(path: Path, data: bytes, *, sync_folder: bool = True) -> None:
    """Write `data` to `path`, taking the place of what may be there.

    Without `sync_folder` the name is safe only once a later write of this module has synced: for the first parts
    of a record whose last part says that it is there.
    """
    _written(path, data).replace(path)
    if sync_folder:
        _sync_folder(path.parent)


def _written(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with open(temporary, "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return temporary


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
