"""Children, one after the other, each from its start to the end of its tree."""

from __future__ import annotations

import os
import select
import socket
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_reviewbench.contain.supervisor.limits import USUAL_SIGNALS, confine
from pytest_reviewbench.contain.supervisor.tree import (
    adopt_orphans,
    dead,
    descendants,
    end_tree,
    own_share,
    resident,
)
from pytest_reviewbench.contain.supervisor.wire import receive_request, tell

TICK = 0.25
"""Seconds between two looks at a child's tree."""
MAXRSS_UNIT = 1024 if sys.platform == "linux" else 1


def mind(control: socket.socket, together: str, threads: int | None) -> None:
    """Start one child after the other, as the harness asks on `control`, until it is gone or a tree is not.

    `together` says what bounds the processes of all children together, `threads` how many the user had before.
    """
    adopt_orphans()
    confined = False
    while (received := receive_request(control)) is not None:
        request, descriptors = received
        if not confined:  # the harness gives a minder children of the same limits only: hard ones cannot be raised
            confine(request["limits"], threads)
            confined = True
        answer = _minded(control, request, descriptors)
        tell(control, {**answer, "bounded": _bounded(together)})
        if not answer.get("gone", True):
            break


def _minded(control: socket.socket, request: Mapping[str, Any], descriptors: Sequence[int]) -> dict[str, Any]:
    """One child, from its start to the end of its tree: how it went."""
    limits = request["limits"]
    try:
        pid = _start(request, descriptors)
    except OSError as e:
        return {"error": e.strerror, "errno": e.errno, "file": e.filename}
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
        os.chdir("/")
    watch = _Watch(pid, limits["memory"], limits["processes"])
    why = watch.until_over(control)
    left = 0 if why else len([p for p in descendants(os.getpid()) if not dead(p)])
    in_namespace = request["options"] is not None
    gone = end_tree(at_once=in_namespace, group=pid, reap=watch.reap)
    return {
        "exit": watch.exit_code,
        "why": why,
        "left": max(0, left - 1) if in_namespace else left,  # the namespace's own first process may be left
        "gone": gone,
        "memory": watch.peak,
        "cpu": watch.cpu,
    }


def _bounded(together: str) -> dict[str, str]:
    """What holds the limits of a tree, and of all of them together."""
    watched = "watched" if sys.platform == "linux" else "unbounded"
    return {"memory": watched, "processes": watched, "processes_together": together}


def _start(request: Mapping[str, Any], descriptors: Sequence[int]) -> int:
    """Start the command; its process id. `descriptors`: stdout, stderr and perhaps stdin. Raises `OSError`."""
    opened = []
    try:
        if len(descriptors) < 3:
            opened.append(os.open(os.devnull, os.O_RDONLY))
        streams = [*descriptors, *opened]
        actions = [(os.POSIX_SPAWN_DUP2, origin, place) for origin, place in zip(streams, (1, 2, 0), strict=True)]
        if request["options"] is not None:
            opened.append(_in_memory(request["options"]))
            actions.append((os.POSIX_SPAWN_DUP2, opened[-1], 3))
        os.chdir(request["cwd"])
        argv, env = request["argv"], request["env"]
        # Not by a fork of this process: to copy an interpreter only to replace it takes longer than many a program.
        return os.posix_spawn(
            _found(argv[0], env), argv, env, file_actions=actions, setsid=True, setsigdef=USUAL_SIGNALS
        )
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _in_memory(text: str) -> int:
    """A descriptor from which `text` is read."""
    descriptor = os.memfd_create("options")
    left = text.encode("utf-8", "surrogateescape")
    while left:
        left = left[os.write(descriptor, left) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _found(program: str, env: Mapping[str, str]) -> str:
    """The file that a shell with this PATH would start."""
    for folder in [] if "/" in program else env.get("PATH", os.defpath).split(os.pathsep):
        path = f"{folder}/{program}"
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    return program


class _Watch:
    """What a minder sees of its child: `exit_code` once it ended, `peak` bytes and `cpu` seconds of its tree."""

    def __init__(self, pid: int, memory: int, processes: int) -> None:
        self.exit_code: int | None = None
        self.peak = 0
        self.cpu = 0.0
        self._pid = pid
        self._memory = memory
        self._processes = processes

    def until_over(self, control: socket.socket) -> str | None:
        """Wait for the end of the child. None: it ended by itself; else why it must be ended."""
        waiting = select.poll()
        waiting.register(control, select.POLLIN)
        notice = os.pidfd_open(self._pid) if hasattr(os, "pidfd_open") else None
        if notice is not None:
            waiting.register(notice, select.POLLIN)
        tick = TICK if notice is not None else 0.02
        try:
            while True:
                ready = [one for one, _ in waiting.poll(tick * 1000)]
                self.reap()
                if self.exit_code is not None:
                    return None
                if control.fileno() in ready:
                    control.recv(1)  # it asks, or it is gone
                    return "asked"
                if not ready and (over := self._passed()):
                    return over
        finally:
            if notice is not None:
                os.close(notice)

    def reap(self) -> bool:
        """Take in every child that ended; False when there is none left."""
        while True:
            try:
                pid, status, spent = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self._pid:
                self.exit_code = os.waitstatus_to_exitcode(status)
            self.cpu += spent.ru_utime + spent.ru_stime
            self.peak = max(self.peak, spent.ru_maxrss * MAXRSS_UNIT)

    def _passed(self) -> str | None:
        tree = descendants(os.getpid())
        size = sum(map(resident, tree))
        if size > self._memory:
            size = sum(map(own_share, tree))
        self.peak = max(self.peak, size)
        return "processes" if len(tree) > self._processes else "memory" if size > self._memory else None
