"""The folder of one process's workspaces, and the removal of those that dead processes have left."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import tempfile
import threading
from pathlib import Path

from pytest_reviewbench.contain.alive import dead, hold

LOCK = ".lock"


class SessionFolder:
    """`<temp>/w<user id>/<random>`, made at first need, known as alive by a lock on `<random>.lock` beside it.

    Names say nothing: a reviewer sees them in the paths it works with.
    """

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = parent
        self._lock = threading.Lock()
        self._path: Path | None = None
        self._alive: int | None = None

    @property
    def path(self) -> Path:
        """The folder. What dead processes have left beside it is gone. Raises `OSError`."""
        with self._lock:
            if self._path is None:
                self._path, self._alive = _made(self._parent or Path(tempfile.gettempdir(), f"w{os.getuid()}"))
            return self._path

    def close(self) -> None:
        """Remove the folder with all that is in it."""
        with self._lock:
            if self._path is not None and self._alive is not None:
                remove(self._path)
                _lock_of(self._path).unlink(missing_ok=True)
                os.close(self._alive)
                with contextlib.suppress(OSError):  # others have theirs there
                    self._path.parent.rmdir()
            self._path = self._alive = None


def remove(folder: Path) -> None:
    """Remove a folder that a program could write to, also where it took the right to enter away. Never raises."""
    shutil.rmtree(folder, ignore_errors=True)
    left = [folder]
    while left and folder.exists():
        inner = left.pop()
        with contextlib.suppress(OSError):
            inner.chmod(stat.S_IRWXU)
            left += [path for path in inner.iterdir() if path.is_dir() and not path.is_symlink()]
        if not left:
            shutil.rmtree(folder, ignore_errors=True)


def _own_folder(parent: Path) -> Path:
    """`parent`, made where it is not there; another one when it is not ours alone: /tmp is everybody's."""
    with contextlib.suppress(FileExistsError):
        parent.mkdir(mode=stat.S_IRWXU)
    found = parent.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077:
        return parent.resolve()
    return Path(tempfile.mkdtemp(prefix="w")).resolve()


def _made(asked: Path) -> tuple[Path, int]:
    """A new folder below `asked` and the descriptor whose lock says that we live."""
    while True:
        try:
            parent = _own_folder(asked)
            _sweep(parent)
            path = parent / secrets.token_hex(4)
            descriptor = hold(_lock_of(path))
        except FileNotFoundError:  # the last of the others has just removed the parent
            continue
        if descriptor is None:
            continue
        try:
            path.mkdir(mode=stat.S_IRWXU)
            return path, descriptor
        except FileExistsError:
            os.close(descriptor)


def _sweep(parent: Path) -> None:
    for lock in dead(parent.glob(f"*{LOCK}")):
        remove(lock.with_name(lock.name.removesuffix(LOCK)))


def _lock_of(path: Path) -> Path:
    return path.with_name(path.name + LOCK)
