"""How the processes of one session find the run folders that one of them made."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from pytest_reviewbench import codec
from pytest_reviewbench.contain.alive import dead, hold
from pytest_reviewbench.errors import RunError
from pytest_reviewbench.runs import store
from pytest_reviewbench.runs.folder import RunFolder

PREFIX, LOCK = ".session-", ".lock"

RunKey = tuple[str, int]
"""(arm, rep)"""


class SessionFile:
    """A small file beside the run folders, there from the first item to the end of the session.

    A lock beside it says that the session lives: what one that was killed has left goes when the next one begins.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._alive: int | None = None

    @property
    def folder(self) -> Path:
        """Beside it, for whatever else the processes of the session share; nobody has made it yet."""
        return self.path.with_suffix("")

    def begin(self) -> None:
        """Say, once, in the process that makes all of it, that this session lives; remove what dead ones left."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        for lock in dead(self.path.parent.glob(f"{PREFIX}*{LOCK}")):
            SessionFile(lock.with_suffix(".json"))._remove_all()
        with contextlib.suppress(OSError):  # a file system without locks: then nobody sweeps there
            while self._alive is None:  # one that sweeps may have taken it for a dead one's, for a moment
                self._alive = hold(self._lock)

    @property
    def _lock(self) -> Path:
        return self.path.with_suffix(LOCK)

    def publish(self, runs: Mapping[RunKey, RunFolder]) -> None:
        """Tell every process of the session which folder belongs to which arm and rep."""
        listed = [[arm, rep, str(run.path)] for (arm, rep), run in runs.items()]
        store.replace(self.path, codec.encode(listed))

    def read(self) -> dict[RunKey, RunFolder]:
        """The published folders. Raises `RunError` in a process that cannot see them (another machine)."""
        try:
            listed = codec.decode(self.path.read_bytes(), list[tuple[str, int, str]], str(self.path))
        except FileNotFoundError:
            raise RunError(
                f"{self.path}: missing; every worker must see the runs folder of the controller "
                "(--reviewbench-runs=DIR on a shared disk)"
            ) from None
        return {(arm, rep): RunFolder(Path(path)) for arm, rep, path in listed}

    def remove(self) -> None:
        self._remove_all()
        with contextlib.suppress(OSError):
            self._lock.unlink()
        if self._alive is not None:
            os.close(self._alive)
            self._alive = None

    def _remove_all(self) -> None:
        with contextlib.suppress(OSError):  # the end of a session must not fail for what it leaves behind
            self.path.unlink()
        shutil.rmtree(self.folder, ignore_errors=True)


def session_file(runs: Path, token: str) -> SessionFile:
    """The file of the session with this unguessed `token`, below `runs`."""
    return SessionFile(runs / f"{PREFIX}{token}.json")
