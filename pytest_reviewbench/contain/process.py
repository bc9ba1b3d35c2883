"""The one way this project starts a child process and waits for it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_reviewbench.contain.limits import DEFAULT, Limits
from pytest_reviewbench.contain.minders import Minder, Minders
from pytest_reviewbench.contain.sandbox import Sandbox, View
from pytest_reviewbench.contain.streams import Streams
from pytest_reviewbench.errors import ReviewbenchError, ReviewFailed
from pytest_reviewbench.redact import redacted

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

    @property
    def ended_for(self) -> str | None:
        """Why it was ended before its time, for error messages; None: it ended by itself, or its time was over."""
        if self.exceeded is None:
            return None
        what = {"memory": "they took too much memory", "processes": "they were too many"}[self.exceeded]
        return f"its processes were ended, {what} (docs/security.md, limits)"

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
        self._minders = Minders()
        self._live: set[Minder] = set()
        self._lock = threading.Lock()
        self._closed = threading.Event()

    def warm_up(self, count: int) -> None:
        """Start what starts children, for `count` at once, so that the first ones need not wait for it."""
        with contextlib.suppress(OSError):  # the first child says it
            self._minders.warm_up(count, DEFAULT)

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
        with Streams(fed=bool(stdin)) as streams:
            minder = self._started(argv, cwd, env, streams, limits, view)
            with self._lock:
                self._live.add(minder)
                if self._closed.is_set():  # ended while this one was starting
                    minder.ask_to_end()
            try:
                streams.follow(minder, started + timeout, stdin, limit)
            finally:
                with self._lock:
                    self._live.discard(minder)
                told = streams.see_out(minder)
                if told is not None and told.get("gone", True):
                    self._minders.give_back(minder, limits)
                else:
                    minder.control.close()
        return self._completed(told, streams, tuple(argv), time.monotonic() - started)

    def pause(self, seconds: float) -> None:
        """Wait. Raises `Cancelled` at once when children are ended for good meanwhile."""
        if self._closed.wait(seconds):
            raise Cancelled("not waited for because the session is ending")

    def end_all(self) -> None:
        """End every child now and refuse new ones. Safe to call twice."""
        with self._lock:
            self._closed.set()
            for minder in self._live:
                minder.ask_to_end()

    def close(self) -> None:
        """`end_all`, and the supervisor with them. A later `run` raises `Cancelled`."""
        self.end_all()
        self._minders.close()

    def _started(
        self,
        argv: Sequence[str],
        cwd: Path,
        env: Mapping[str, str],
        streams: Streams,
        limits: Limits,
        view: View | None,
    ) -> Minder:
        options = None
        command: Sequence[str] = argv
        if view is not None and self.sandbox.program is not None:
            command, options = self.sandbox.command(argv, cwd, env, view)
            cwd, env = Path("/"), {}
        try:
            with streams.handed_over() as theirs:
                return self._minders.start(
                    command, cwd=cwd, env=env, limits=limits, streams=theirs, options=options
                )
        except (OSError, ValueError) as e:
            raise ReviewFailed("spawn", f"cannot start {argv[0]}: {e}") from None

    def _completed(
        self, told: Mapping[str, Any] | None, streams: Streams, argv: tuple[str, ...], seconds: float
    ) -> Completed:
        if told is None:
            raise ReviewFailed("spawn", f"{argv[0]}: what watched over it was ended before it; it has no result")
        if "error" in told:
            error = OSError(told["errno"], told["error"], *([told["file"]] if told.get("file") else []))
            raise ReviewFailed("spawn", f"cannot start {argv[0]}: {error}")
        if told["why"] == "asked" and not streams.timed_out:
            raise Cancelled(f"{argv[0]}: stopped because the session is ending")
        if told["exit"] is None:
            raise ReviewFailed("spawn", f"{argv[0]}: it could not be ended and may be running still")
        self.bounded = told["bounded"]
        return Completed(
            argv=argv,
            exit_code=told["exit"],
            timed_out=streams.timed_out,
            stdout=bytes(streams.kept[streams.out]),
            stderr=bytes(streams.kept[streams.err]),
            stdout_total=streams.totals[streams.out],
            stderr_total=streams.totals[streams.err],
            seconds=seconds,
            exceeded=told["why"] if told["why"] != "asked" else None,
            leftovers=told["left"],
            peak_memory=told["memory"],
            cpu_seconds=told["cpu"],
        )
