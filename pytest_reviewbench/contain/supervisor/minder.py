"""One child, from its start to the end of its tree."""

from __future__ import annotations

import os
import resource
import select
import socket
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from pytest_reviewbench.contain.supervisor.limits import USUAL_SIGNALS, confine
from pytest_reviewbench.contain.supervisor.tree import adopt_orphans, dead, descendants, end_tree, resident
from pytest_reviewbench.contain.supervisor.wire import read_request, tell

TICK = 0.25
"""Seconds between two looks at a child's tree."""


def mind(descriptors: Sequence[int], together: str, threads: int | None) -> NoReturn:
    """Start a child, see it out, tell its socket. `descriptors`: of the socket, stdout, stderr and perhaps stdin.

    `together` says what bounds the processes of all children together, `threads` how many the user had before.
    """
    adopt_orphans()
    control = socket.socket(fileno=descriptors[0])
    request = read_request(control)
    if request is None:
        os._exit(0)
    limits = request["limits"]
    try:
        pid = _start(request, descriptors[1:], threads)
    except OSError as e:
        tell(control, {"error": e.strerror, "errno": e.errno, "file": e.filename})
        os._exit(0)
    for one in descriptors[1:]:
        os.close(one)
    watch = _Watch(pid, limits["memory"], limits["processes"])
    why = watch.until_over(control)
    left = 0 if why else len([p for p in descendants(os.getpid()) if not dead(p)])
    gone = end_tree(at_once=request["options"] is not None, group=pid, reap=watch.reap)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    unit = 1024 if sys.platform == "linux" else 1
    tell(
        control,
        {
            "exit": watch.exit_code,
            "why": why,
            "left": left,
            "gone": gone,
            "memory": max(watch.peak, spent.ru_maxrss * unit),
            "cpu": spent.ru_utime + spent.ru_stime,
            "bounded": _bounded(together),
        },
    )
    os._exit(0)


def _bounded(together: str) -> dict[str, str]:
    """What holds the limits of a tree, and of all of them together."""
    watched = "watched" if sys.platform == "linux" else "unbounded"
    return {"memory": watched, "processes": watched, "processes_together": together}


def _start(request: Mapping[str, Any], descriptors: Sequence[int], threads: int | None) -> int:
    """Start the command in this process's place among folders and limits; its process id. Raises `OSError`."""
    streams = descriptors if len(descriptors) > 2 else [*descriptors, os.open(os.devnull, os.O_RDONLY)]
    actions = [(os.POSIX_SPAWN_DUP2, origin, place) for origin, place in zip(streams, (1, 2, 0), strict=True)]
    if request["options"] is not None:
        options = os.memfd_create("options")
        os.write(options, request["options"].encode("utf-8", "surrogateescape"))
        os.lseek(options, 0, os.SEEK_SET)
        actions.append((os.POSIX_SPAWN_DUP2, options, 3))
    os.chdir(request["cwd"])
    confine(request["limits"], threads)
    argv, env = request["argv"], request["env"]
    # Not by a fork of this process: to copy an interpreter only to replace it takes longer than many a program.
    return os.posix_spawn(
        _found(argv[0], env), argv, env, file_actions=actions, setsid=True, setsigdef=USUAL_SIGNALS
    )


def _found(program: str, env: Mapping[str, str]) -> str:
    """The file that a shell with this PATH would start."""
    for folder in [] if "/" in program else env.get("PATH", os.defpath).split(os.pathsep):
        path = f"{folder}/{program}"
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    return program


class _Watch:
    """What a minder sees of its child: `exit_code` once it ended, `peak` bytes of its tree."""

    def __init__(self, pid: int, memory: int, processes: int) -> None:
        self.exit_code: int | None = None
        self.peak = 0
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
        while True:
            ready = [one for one, _ in waiting.poll(tick * 1000)]
            self.reap()
            if self.exit_code is not None:
                return None
            if control.fileno() in ready and not control.recv(1):
                return "asked"
            if not ready and (over := self._passed()):
                return over

    def reap(self) -> bool:
        """Take in every child that ended; False when there is none left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == self._pid:
                self.exit_code = os.waitstatus_to_exitcode(status)
            if pid == 0:
                return True

    def _passed(self) -> str | None:
        tree = descendants(os.getpid())
        size = sum(map(resident, tree))
        self.peak = max(self.peak, size)
        return "memory" if size > self._memory else "processes" if len(tree) > self._processes else None
