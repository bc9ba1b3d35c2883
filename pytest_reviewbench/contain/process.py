"""The one way this project starts a child process and waits for it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_reviewbench.contain.launcher import Launcher
from pytest_reviewbench.contain.limits import DEFAULT, Limits
from pytest_reviewbench.contain.sandbox import Sandbox, View
from pytest_reviewbench.errors import ReviewbenchError, ReviewFailed
from pytest_reviewbench.redact import redacted

GRACE = 2.0
"""Seconds that a stream may stay open after the whole tree ended (something got away and holds it)."""
PATIENCE = 10.0
"""Seconds within which the supervisor must have ended a tree."""

TAIL = 1 << 20
"""Bytes at the end of a stream in which secrets are looked for before its last words are quoted."""


class Cancelled(ReviewbenchError):
    """The session is ending; nothing new is started and what ran was stopped."""


@dataclass(frozen=True, slots=True)
class Completed:
    """A child that ended, and with it all that it started.

    `exit_code` is negative for a signal (in a sandbox 128 + signal, as a shell has it). `stdout` and `stderr`
    hold the first bytes up to the limit, the totals all of them. `exceeded` is the limit for which it was ended:
    `memory` or `processes`. `leftovers` are the processes that were still there when it ended by itself.
    `peak_memory` in bytes, of the tree or of its largest process; `cpu_seconds` of the whole tree.
    """

    argv: tuple[str, ...]
    exit_code: int
    timed_out: bool
    stdout: bytes
    stderr: bytes
    stdout_total: int
    stderr_total: int
    seconds: float
    exceeded: str | None = None
    leftovers: int = 0
    peak_memory: int = 0
    cpu_seconds: float = 0.0

    def tail(self, limit: int = 300) -> str:
        """The end of what it said on stderr, else on stdout, without secrets: for error messages."""
        return _last_words(self.stderr, limit) or _last_words(self.stdout, limit)

    def complaint(self, limit: int = 300) -> str:
        """The end of what it said on stderr, without secrets."""
        return _last_words(self.stderr, limit)


def _last_words(said: bytes, limit: int) -> str:
    # Secrets go before the cut: half of one would not be known as one.
    return redacted(said[-TAIL:].decode("utf-8", "replace").strip())[-limit:]


class Children:
    """Starts children and can end all of them at once, from any thread.

    A child's whole tree is ended when the child ends, when its time is over, when it passes a limit, on
    `end_all`, and when this process dies. `bounded` says what holds their limits, once one has run: per limit
    `cgroup` or `rlimit` (the kernel), `watched` (four times a second) or `unbounded`.
    """

    def __init__(self, sandbox: Sandbox | None = None) -> None:
        self.sandbox = sandbox or Sandbox.none()
        self.bounded: Mapping[str, str] = {}
        self._launcher = Launcher()
        self._live: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._closed = threading.Event()

    def warm_up(self) -> None:
        """Start what starts children, so that the first one need not wait for it."""
        with contextlib.suppress(OSError):  # the first child says it
            self._launcher.warm_up()

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        timeout: float,
        stdin: bytes = b"",
        limit: int = 64 << 20,
        limits: Limits = DEFAULT,
        view: View | None = None,
    ) -> Completed:
        """Run `argv` in `cwd` to its end, at most `timeout` seconds, keeping `limit` bytes of each stream.

        `view` is what of the machine it may see, where there is a sandbox; None: this child is trusted.
        Raises `ReviewFailed` (kind `spawn`) when it cannot be started and `Cancelled` after `end_all`.
        """
        started = time.monotonic()
        if self._closed.is_set():
            raise Cancelled(f"{argv[0]}: not started because the session is ending")
        with contextlib.ExitStack() as opened:
            session = self._started(opened, argv, cwd, env, bool(stdin), limits, view)
            with self._lock:
                self._live.add(session.control)
                if self._closed.is_set():  # ended while this one was starting
                    _ask_to_end(session.control)
            try:
                session.follow(started + timeout, stdin, limit)
            finally:
                with self._lock:
                    self._live.discard(session.control)
                session.see_out()
        return self._completed(session, tuple(argv), time.monotonic() - started)

    def end_all(self) -> None:
        """End every child now and refuse new ones. Safe to call twice."""
        with self._lock:
            self._closed.set()
            for control in self._live:
                _ask_to_end(control)

    def close(self) -> None:
        """`end_all`, and the supervisor with them. A later `run` raises `Cancelled`."""
        self.end_all()
        self._launcher.close()

    def _started(
        self,
        opened: contextlib.ExitStack,
        argv: Sequence[str],
        cwd: Path,
        env: Mapping[str, str],
        fed: bool,
        limits: Limits,
        view: View | None,
    ) -> _Session:
        options = None
        command: Sequence[str] = argv
        if view is not None and self.sandbox.program is not None:
            command, options = self.sandbox.command(argv, cwd, env, view)
            cwd, env = Path("/"), {}
        theirs: list[int] = []
        try:
            with contextlib.ExitStack() as handed:
                out, theirs_out = _pipe(opened, handed)
                err, theirs_err = _pipe(opened, handed)
                theirs += [theirs_out, theirs_err]
                feed = None
                if fed:
                    their_in, feed = os.pipe()
                    handed.callback(os.close, their_in)
                    theirs.append(their_in)
                    os.set_blocking(feed, False)
                session = _Session(out, err, feed)
                opened.callback(session.close)
                session.control = opened.enter_context(
                    self._launcher.launch(command, cwd=cwd, env=env, limits=limits, streams=theirs, options=options)
                )
        except (OSError, ValueError) as e:
            raise ReviewFailed("spawn", f"cannot start {argv[0]}: {e}") from None
        return session

    def _completed(self, session: _Session, argv: tuple[str, ...], seconds: float) -> Completed:
        told = session.told()
        if told is None or (told.get("exit") is None and "error" not in told):
            raise ReviewFailed("spawn", f"{argv[0]}: what watched over it was ended before it; it has no result")
        if "error" in told:
            error = OSError(told["errno"], told["error"], *([told["file"]] if told.get("file") else []))
            raise ReviewFailed("spawn", f"cannot start {argv[0]}: {error}")
        if told["why"] == "asked" and not session.timed_out:
            raise Cancelled(f"{argv[0]}: stopped because the session is ending")
        self.bounded = told["bounded"]
        return Completed(
            argv=argv,
            exit_code=told["exit"],
            timed_out=session.timed_out,
            stdout=bytes(session.kept[session.out]),
            stderr=bytes(session.kept[session.err]),
            stdout_total=session.totals[session.out],
            stderr_total=session.totals[session.err],
            seconds=seconds,
            exceeded=told["why"] if told["why"] != "asked" else None,
            leftovers=told["left"],
            peak_memory=told["memory"],
            cpu_seconds=told["cpu"],
        )


class _Session:
    """The descriptors of one child and what came out of them."""

    control: socket.socket

    def __init__(self, out: int, err: int, feed: int | None) -> None:
        self.out = out
        self.err = err
        self.kept = {out: bytearray(), err: bytearray()}
        self.totals = dict.fromkeys(self.kept, 0)
        self.timed_out = False
        self._feed = feed
        self._told = bytearray()
        self._ended = False

    def follow(self, deadline: float, stdin: bytes, limit: int) -> None:
        """Feed and drain the child until it is told how it ended and its streams are closed."""
        pending = memoryview(stdin)
        waiting = select.poll()
        open_ends = {self.out, self.err, self.control.fileno()}
        for descriptor in open_ends:
            waiting.register(descriptor, select.POLLIN)
        if self._feed is not None:
            waiting.register(self._feed, select.POLLOUT)
        while open_ends:
            left = deadline - time.monotonic()
            if left <= 0:
                if self._ended or self.timed_out:
                    break
                self.timed_out = True
                _ask_to_end(self.control)
                deadline = time.monotonic() + PATIENCE
                continue
            for descriptor, _ in waiting.poll(left * 1000 + 1):
                if descriptor == self._feed:
                    pending = _fed(descriptor, pending)
                    if not pending:
                        waiting.unregister(descriptor)
                        self._close_feed()
                    continue
                data = os.read(descriptor, 1 << 16)
                if not data:
                    waiting.unregister(descriptor)
                    open_ends.discard(descriptor)
                    if descriptor == self.control.fileno():
                        self._ended, deadline = True, time.monotonic() + GRACE
                elif descriptor == self.control.fileno():
                    self._told += data
                else:
                    self.totals[descriptor] += len(data)
                    self.kept[descriptor] += data[: max(0, limit - len(self.kept[descriptor]))]

    def see_out(self) -> None:
        """Also after an interrupt: the child is asked to end, and its end is waited for, for a moment."""
        if self._ended:
            return
        _ask_to_end(self.control)
        self.control.settimeout(GRACE)
        with contextlib.suppress(OSError):
            while said := self.control.recv(4096):
                self._told += said

    def told(self) -> dict[str, Any] | None:
        """What the supervisor said of the end; None: nothing."""
        try:
            said: dict[str, Any] = json.loads(self._told)
        except ValueError:
            return None
        return said

    def close(self) -> None:
        self._close_feed()

    def _close_feed(self) -> None:
        if self._feed is not None:
            os.close(self._feed)
            self._feed = None


def _pipe(opened: contextlib.ExitStack, handed: contextlib.ExitStack) -> tuple[int, int]:
    """(our reading end, the child's writing end)."""
    ours, theirs = os.pipe()
    opened.callback(os.close, ours)
    handed.callback(os.close, theirs)
    return ours, theirs


def _fed(descriptor: int, pending: memoryview) -> memoryview:
    try:
        return pending[os.write(descriptor, pending[: 1 << 16]) :]
    except BlockingIOError:
        return pending
    except BrokenPipeError:
        return pending[:0]


def _ask_to_end(control: socket.socket) -> None:
    with contextlib.suppress(OSError):
        control.shutdown(socket.SHUT_WR)
