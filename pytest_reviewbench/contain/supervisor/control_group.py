"""A group of processes whose number the kernel bounds; for root, whom no rlimit binds."""

from __future__ import annotations

import contextlib
import os
import sys
import time


class ControlGroup:
    """A folder of the kernel's `pids` controller, of either version, that holds this process and all it starts.

    One for all children together: to put a process into another group takes the kernel 10 ms, for one at a time.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @classmethod
    def entered(cls, most: int) -> ControlGroup | None:
        """A new group of at most `most` threads, with this process in it; None where it cannot be, or need not."""
        if sys.platform != "linux" or os.geteuid() != 0:
            return None
        for parent in _parents():
            _sweep(parent)
            made = cls(f"{parent}/w{os.getpid()}")
            try:
                made._enter(most)
            except OSError:
                made.leave()
            else:
                return made
        return None

    def _enter(self, most: int) -> None:
        parent = os.path.dirname(self._folder)
        unified = f"{parent}/cgroup.subtree_control"
        if os.path.exists(unified):
            _write(unified, "+pids")
        os.mkdir(self._folder)
        _write(f"{self._folder}/pids.max", str(most))
        _write(f"{self._folder}/cgroup.procs", "0")

    def leave(self) -> None:
        """Go back to where this process was, and remove the group."""
        with contextlib.suppress(OSError):
            _write(f"{os.path.dirname(self._folder)}/cgroup.procs", "0")
        for _ in range(20):  # the last process counts for a moment after it was reaped
            try:
                os.rmdir(self._folder)
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.005)
            else:
                return


def _sweep(parent: str) -> None:
    """Remove groups that killed supervisors have left: one that holds a process cannot be removed."""
    for name in os.listdir(parent):
        if name[:1] == "w" and name[1:].isdigit():
            with contextlib.suppress(OSError):
                os.rmdir(f"{parent}/{name}")


def _parents() -> list[str]:
    """The groups that this process is in and that may bound processes."""
    try:
        with open("/proc/self/cgroup") as file:
            lines = [line.rstrip("\n").split(":", 2) for line in file]
    except OSError:
        return []
    found = []
    for _, controllers, path in lines:
        if "pids" in controllers.split(","):
            found.append(f"/sys/fs/cgroup/pids{path.rstrip('/')}")
        elif not controllers:
            found.append(f"/sys/fs/cgroup{path.rstrip('/')}")
    return [folder for folder in found if os.path.isdir(folder)]


def _write(path: str, value: str) -> None:
    with open(path, "w") as file:
        file.write(value)
