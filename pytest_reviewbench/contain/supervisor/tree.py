"""The processes below this one: who they are, what they hold, and their end."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys
import time
from collections.abc import Callable

LINUX = sys.platform == "linux"
PATIENCE = 8.0
"""Seconds within which a tree must be gone."""

_SUBREAPER = 36
_KEYCTL = {"x86_64": 250, "aarch64": 219}
_JOIN_SESSION_KEYRING = 1
_LIBC = ctypes.CDLL(None)
_PAGE = resource.getpagesize()


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends (Linux)."""
    if LINUX:
        _LIBC.prctl(_SUBREAPER, 1, 0, 0, 0)


def with_own_keys() -> None:
    """Leave the session keyring of the harness, whose keys every descendant could read (Linux)."""
    number = _KEYCTL.get(os.uname().machine) if LINUX else None
    if number is not None:
        _LIBC.syscall(number, _JOIN_SESSION_KEYRING, None)


def children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found += map(int, file.read().split())
    except OSError:
        pass
    return found


def descendants(pid: int) -> list[int]:
    """Parents before their children."""
    found: list[int] = []
    left = [pid]
    while left:
        below = children(left.pop())
        found += below
        left += below
    return found


def dead(pid: int) -> bool:
    """Has it ended, and is only not waited for yet?"""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] == b"Z"
    except OSError:
        return True


def resident(pid: int) -> int:
    """Bytes of memory of the process that are no file's; what it shares with its children counts in each."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            _, size, shared = file.read().split()[:3]
    except (OSError, ValueError):
        return 0
    return (int(size) - int(shared)) * _PAGE


def own_share(pid: int) -> int:
    """The same, what is shared divided among those that share it. Takes the kernel longer."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            lines = dict(line.split(b":", 1) for line in file if b":" in line)
    except OSError:
        return resident(pid)
    found = lines.get(b"Pss_Anon", b"").split() + lines.get(b"Pss_Shmem", b"").split()
    return sum(int(word) for word in found if word.isdigit()) << 10 if found else resident(pid)


def send(pid: int, number: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, number)


def reap() -> bool:
    """Take in whatever child has ended; False when there is none left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def end_tree(*, at_once: bool, group: int | None = None, reap: Callable[[], bool] = reap) -> bool:
    """End everything below this process; is it gone?

    First frozen, then killed: a tree that goes on forking must not outrun its end. `at_once` for a tree in a
    process namespace of its own, which ends with its first process. `group` is the process group that is ended
    where there is no list of what is below a process.
    """
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not LINUX and group is not None:
            with contextlib.suppress(OSError):
                os.killpg(group, signal.SIGKILL)
        found: set[int] = set()
        while new := set(descendants(os.getpid())) - found:
            for pid in () if at_once else new:
                send(pid, signal.SIGSTOP)
            found |= new
        for pid in found:
            send(pid, signal.SIGKILL)
        if not reap():
            return True
        time.sleep(0.002)
    return False
