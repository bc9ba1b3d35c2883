"""This process's end of the supervisor: starts it once, and keeps the minders that it forks."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest_reviewbench
from pytest_reviewbench.contain.limits import Limits
from pytest_reviewbench.contain.supervisor.wire import END, send_request

PATIENCE = 10.0
"""Seconds within which the supervisor must have seen its minders out."""

_START = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from pytest_reviewbench.contain.supervisor.server import main; main(int(sys.argv[2]))"
)
_HOME = str(Path(pytest_reviewbench.__file__).parent.parent)


class Minder:
    """One minder, at work for one child. `control` tells how the child ended, in one line."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self._asked = False

    @property
    def reusable(self) -> bool:
        """A minder that was asked to end its child may still have the word to read."""
        return not self._asked

    def ask_to_end(self) -> None:
        """Have the child ended before its time. Safe in any thread."""
        self._asked = True
        with contextlib.suppress(OSError):
            self.control.send(END)


class Minders:
    """Those that wait for work, and the supervisor that forks more. Safe in any thread.

    All end with this object at the latest.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._door: socket.socket | None = None
        self._waiting: dict[Limits, list[Minder]] = {}
        self._finalizer: weakref.finalize[..., Minders] | None = None

    def warm_up(self, count: int, limits: Limits) -> None:
        """Have `count` minders forked now, without waiting for them. Raises `OSError`."""
        for minder in [self._new() for _ in range(count)]:
            self.give_back(minder, limits)

    def start(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        limits: Limits,
        streams: Sequence[int],
        options: Sequence[str] | None = None,
    ) -> Minder:
        """Have `argv` started; the minder that sees to it, to be given back or let go.

        `streams` are the child's stdout, stderr and, if it gets any, stdin; the caller closes them. `options`
        are what `argv[0]` is to read from descriptor 3, separated by NUL: a sandbox, whose own children die with
        it. Raises `OSError` when there can be no supervisor, `ValueError` for what no program can be given.
        """
        if any("\0" in word for word in [*argv, *env, *env.values(), str(cwd)]):
            raise ValueError("embedded null byte")
        request: dict[str, Any] = {
            "argv": list(argv),
            "cwd": str(cwd),
            "env": dict(env),
            "limits": asdict(limits),
            "options": None if options is None else "\0".join(options),
        }
        while True:
            minder, is_new = self._taken(limits)
            try:
                send_request(minder.control, request, streams)
            except OSError:  # one that waited may have been ended meanwhile
                minder.control.close()
                if is_new:
                    raise
            else:
                return minder

    def give_back(self, minder: Minder, limits: Limits) -> None:
        """Keep a minder whose child is gone for the next child with these limits."""
        with self._lock:
            if self._door is not None and minder.reusable:
                self._waiting.setdefault(limits, []).append(minder)
                return
        minder.control.close()

    def close(self) -> None:
        """Ask for nothing more. The supervisor sees its minders out and ends."""
        with self._lock:
            self._end()

    def _taken(self, limits: Limits) -> tuple[Minder, bool]:
        """A minder that waits, or a new one (then True)."""
        with self._lock:
            if waiting := self._waiting.get(limits):
                return waiting.pop(), False
        return self._new(), True

    def _new(self) -> Minder:
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            try:
                socket.send_fds(self._opened(), [b"."], [theirs.fileno()])
            except (BrokenPipeError, ConnectionResetError):  # somebody ended the supervisor: begin again, once
                self._end()
                socket.send_fds(self._opened(), [b"."], [theirs.fileno()])
        return Minder(ours)

    def _opened(self) -> socket.socket:
        if self._door is None:
            ours, theirs = socket.socketpair()
            with theirs:
                supervisor = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", _START, _HOME, str(theirs.fileno())],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd=os.sep,
                    env={},
                    start_new_session=True,
                )
            self._door = ours
            self._waiting = {}
            self._finalizer = weakref.finalize(self, _dismiss, ours, self._waiting, supervisor)
        return self._door

    def _end(self) -> None:
        self._door = None
        if self._finalizer is not None:
            self._finalizer()


def _dismiss(
    door: socket.socket, waiting: Mapping[Limits, Sequence[Minder]], supervisor: subprocess.Popen[bytes]
) -> None:
    for minders in waiting.values():
        for minder in minders:
            minder.control.close()
    door.close()
    try:
        supervisor.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        supervisor.kill()
        supervisor.wait()
