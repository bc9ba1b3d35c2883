"""This process's end of the supervisor: starts it once and hands it requests for children."""

from __future__ import annotations

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
from pytest_reviewbench.contain.supervisor.wire import packed

_START = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from pytest_reviewbench.contain.supervisor.server import main; main(int(sys.argv[2]))"
)
PATIENCE = 10.0
"""Seconds within which the supervisor must have seen its children out."""
_HOME = str(Path(pytest_reviewbench.__file__).parent.parent)


class Launcher:
    """Starts children by a supervisor. Safe in any thread; the supervisor ends with this object at the latest."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._door: socket.socket | None = None
        self._finalizer: weakref.finalize[[socket.socket, subprocess.Popen[bytes]], Launcher] | None = None

    def warm_up(self) -> None:
        """Start the supervisor now, without waiting for it. Raises `OSError`."""
        with self._lock:
            self._opened()

    def launch(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        limits: Limits,
        streams: Sequence[int],
        options: Sequence[str] | None = None,
    ) -> socket.socket:
        """Start `argv`; the socket on which its end is told, and whose end ends it.

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
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self._hand_over([theirs.fileno(), *streams])
            ours.sendall(packed(request))
        except OSError:
            ours.close()
            raise
        return ours

    def close(self) -> None:
        """Ask for nothing more. The supervisor sees its children out and ends."""
        with self._lock:
            self._end()

    def _hand_over(self, descriptors: Sequence[int]) -> None:
        with self._lock:
            try:
                socket.send_fds(self._opened(), [b"."], descriptors)
            except (BrokenPipeError, ConnectionResetError):  # somebody ended it: begin again, once
                self._end()
                socket.send_fds(self._opened(), [b"."], descriptors)

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
            self._finalizer = weakref.finalize(self, _dismiss, ours, supervisor)
        return self._door

    def _end(self) -> None:
        self._door = None
        if self._finalizer is not None:
            self._finalizer()


def _dismiss(door: socket.socket, supervisor: subprocess.Popen[bytes]) -> None:
    door.close()
    try:
        supervisor.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        supervisor.kill()
        supervisor.wait()
