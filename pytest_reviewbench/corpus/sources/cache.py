"""The content-addressed cache: downloaded artefacts, extracted trees, built changes, outside any repository.

A name in it means a complete thing: everything is made under `tmp/` and renamed. All writing happens under
one lock per cache, so whatever stands in `tmp/` when the lock is taken was left by a session that died.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pytest_reviewbench.errors import SourceError


def default_cache_root(environ: Mapping[str, str]) -> Path:
    """$REVIEWBENCH_CACHE, else pytest-reviewbench in $XDG_CACHE_HOME, else in ~/.cache; absolute."""
    if chosen := environ.get("REVIEWBENCH_CACHE"):
        return Path(chosen).expanduser().absolute()
    xdg = environ.get("XDG_CACHE_HOME", "")
    home = environ.get("HOME")
    # The XDG specification: a relative path there is to be ignored.
    base = Path(xdg) if Path(xdg).is_absolute() else (Path(home) if home else Path.home()) / ".cache"
    return base.absolute() / "pytest-reviewbench"


def sha256_of(file: Path) -> str:
    """sha256 of the file's bytes, in lower-case hex."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def same_tree(one: Path, other: Path) -> bool:
    """Whether two folders hold the same files with the same bytes and the same exec bits."""
    return other.is_dir() and _listing(one) == _listing(other)


def _listing(folder: Path) -> dict[str, tuple[str, bool]]:
    return {
        str(path.relative_to(folder)): (sha256_of(path) if path.is_file() else "", os.access(path, os.X_OK))
        for path in folder.rglob("*")
    }


class Cache:
    """What is in the cache at `root`. Reading needs no lock; every `keep_*` and `drop_*` needs `locked()`."""

    def __init__(self, root: Path) -> None:
        # The registry clients get paths below it and run in another folder.
        self.root = root.absolute()

    def artefact(self, sha256: str) -> Path:
        """Where the artefact with this hash is, or would be."""
        return self.root / "artefacts" / sha256

    def intact(self, sha256: str) -> bool:
        """Whether the artefact is here and its bytes still are what its name says (they are read to know)."""
        try:
            return sha256_of(self.artefact(sha256)) == sha256
        except OSError:
            return False

    def tree(self, sha256: str) -> Path:
        """Where the complete tree of that artefact is, or would be. For reading only."""
        return self.root / "trees" / sha256

    def change(self, key: str, suffix: str) -> Path:
        return self.root / "changes" / (key + suffix)

    def keep_artefact(self, file: Path, sha256: str) -> None:
        """Move `file`, whose hash is known to be `sha256`, in."""
        self._place(file, self.artefact(sha256))

    def keep_tree(self, folder: Path, sha256: str) -> None:
        """Move the complete tree `folder` in; one that stands there already is replaced."""
        self._place(folder, self.tree(sha256))

    def keep_change(self, key: str, suffix: str, data: bytes) -> None:
        with self.scratch() as folder:
            file = folder / "change"
            file.write_bytes(data)
            self._place(file, self.change(key, suffix))

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """An empty folder on the cache's file system, removed afterwards."""
        parent = self.root / "tmp"
        parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=parent))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def locked(self, wait: float) -> Iterator[None]:
        """Hold this cache alone; another session's turn is waited for, at most `wait` seconds.

        The lock ends with its process, however that ends. Raises `SourceError`, also for a cache folder that
        cannot be written.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as e:
            raise self.unusable(e) from None
        try:
            self._take(descriptor, time.monotonic() + wait)
            self._sweep()
            yield
        finally:
            os.close(descriptor)

    def unusable(self, e: OSError) -> SourceError:
        return SourceError(
            f"the cache {self.root} cannot be used: {e.strerror or e}; set REVIEWBENCH_CACHE to a "
            "folder that can be written"
        )

    def _take(self, descriptor: int, deadline: float) -> None:
        while True:
            try:
                # Not a blocking flock: Ctrl-C must work while another session downloads.
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise SourceError(
                        f"the cache {self.root} is in use by another session for too long; wait for it, or "
                        "set REVIEWBENCH_CACHE to another folder"
                    ) from None
                time.sleep(0.05)
            except OSError as e:
                raise self.unusable(e) from None
            else:
                return

    def _sweep(self) -> None:
        shutil.rmtree(self.root / "tmp", ignore_errors=True)

    def _place(self, made: Path, place: Path) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        if made.is_dir() and place.exists():
            # A folder cannot be renamed over another one; the old one goes out by rename as well, so that a
            # reader sees either of them whole.
            with self.scratch() as folder:
                place.rename(folder / "old")
                made.rename(place)
        else:
            made.replace(place)
