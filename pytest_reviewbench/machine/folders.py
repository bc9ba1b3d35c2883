"""Where things are kept: can it be written, and how much lies there?"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from pytest_reviewbench.corpus.sources.cache import default_cache_root
from pytest_reviewbench.machine.check import Found, Task

SECONDS = 5.0
"""For the size of a cache: a large one on a slow disk is not counted to its end."""


def tasks(environ: Mapping[str, str], runs: Path) -> Iterator[Task]:
    yield Task("folders", "cache", lambda: cache(default_cache_root(environ)), needed=True)
    yield Task("folders", "runs", lambda: written_later(runs, "pass --reviewbench-runs=DIR"), needed=True)


def cache(root: Path, clock: Callable[[], float] = time.monotonic) -> Found:
    """A folder that is there is really written to, by a file without a name; none is made."""
    instead = "set REVIEWBENCH_CACHE to a folder that can be written"
    if not root.is_dir():
        return written_later(root, instead)
    try:
        with tempfile.TemporaryFile(dir=root) as file:
            file.write(b"written")
            file.flush()
    except OSError as e:
        return Found("broken", detail=f"{root}: {e.strerror or e}", advice=instead)
    size, counted = _size(root, clock, clock() + SECONDS)
    free = shutil.disk_usage(root).free
    return Found("usable", detail=f"{root}, {'' if counted else 'over '}{_bytes(size)}, {_bytes(free)} free")


def written_later(folder: Path, instead: str) -> Found:
    """Could `folder` be written, or made? Judged by permissions: nothing is left behind."""
    there = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    if not there.is_dir():
        return Found("broken", detail=f"{there} is not a folder", advice=instead)
    if not os.access(there, os.W_OK | os.X_OK):
        return Found("broken", detail=f"{there} cannot be written", advice=instead)
    return Found("usable", detail=f"{folder}{'' if there == folder else ', not there yet'}")


def _size(root: Path, clock: Callable[[], float], deadline: float) -> tuple[int, bool]:
    """(bytes of the files below `root`, whether all of them were counted)."""
    total = 0
    for parent, _, names in os.walk(root):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118 (there may be very many)
            except OSError:
                continue  # gone meanwhile
        if clock() > deadline:
            return total, False
    return total, True


def _bytes(number: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"
