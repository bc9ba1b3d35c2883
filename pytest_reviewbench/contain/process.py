"""The one way this project starts a child process."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_reviewbench.errors import ReviewbenchError, ReviewFailed
from pytest_reviewbench.redact import redacted

GRACE = 2.0
"""Seconds that a stream may stay open after its process ended (something else inherited it)."""

TAIL = 1 << 20
"""Bytes at the end of a stream in which secrets are looked for before its last words are quoted."""


class Cancelled(ReviewbenchError):
    """The session is ending; nothing new is started and what ran was stopped."""


@dataclass(frozen=True, slots=True)
class Completed:
    """A child that ended. `stdout` and `stderr` hold the first bytes up to the limit, the totals all of them.

    `exit_code` is negative for a signal, as subprocess has it.
    """

    argv: tuple[str, ...]
    exit_code: int
    timed_out: bool
    stdout: bytes
    stderr: bytes
    stdout_total: int
    stderr_total: int
    seconds: float

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

    Every child leads a process group of its own; the group is ended when the child ends, when its time is
    over, and on `end_all`.
    """

    def __init__(self) -> None:
        self._live: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._closed = threading.Event()

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        timeout: float,
        stdin: bytes = b"",
        limit: int = 64 << 20,
    ) -> Completed:
        """Run `argv` in `cwd` to its end, at most `timeout` seconds, keeping `limit` bytes of each stream.

        Raises `ReviewFailed` (kind `spawn`) when it cannot be started and `Cancelled` after `end_all`.
        """
        started = time.monotonic()
        child = self._start(argv, cwd, env)
        try:
            timed_out, streams = _communicate(child, stdin, started + timeout, limit)
        finally:
            _end_group(child)
            with self._lock:
                self._live.discard(child)
        if self._closed.is_set() and child.returncode == -signal.SIGKILL:  # one that ended by itself has a result
            raise Cancelled(f"{argv[0]}: stopped because the session is ending")
        (out, out_total), (err, err_total) = streams
        return Completed(
            argv=tuple(argv),
            exit_code=child.returncode,
            timed_out=timed_out,
            stdout=out,
            stderr=err,
            stdout_total=out_total,
            stderr_total=err_total,
            seconds=time.monotonic() - started,
        )

    def end_all(self) -> None:
        """End every child now and refuse new ones. Safe to call twice."""
        with self._lock:
            self._closed.set()
            for child in self._live:
                _kill_group(child.pid)

    def _start(self, argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
        if self._closed.is_set():
            raise Cancelled(f"{argv[0]}: not started because the session is ending")
        try:
            child = subprocess.Popen(
                list(argv),
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as e:
            raise ReviewFailed("spawn", f"cannot start {argv[0]}: {e}") from None
        with self._lock:  # not held during the start: 64 threads would start their children one by one
            self._live.add(child)
            if self._closed.is_set():  # ended while this one was starting; `run` sees it out
                _kill_group(child.pid)
        return child


def _communicate(
    child: subprocess.Popen[bytes], stdin: bytes, deadline: float, limit: int
) -> tuple[bool, list[tuple[bytes, int]]]:
    """Feed and drain the child until its streams close; (timed out, [(kept bytes, total) of stdout, stderr])."""
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stderr is not None
    outputs = (child.stdout, child.stderr)
    kept = {stream: bytearray() for stream in outputs}
    totals = dict.fromkeys(outputs, 0)
    pending = memoryview(stdin)
    timed_out = False
    with _open_ends(child) as exit_notice, selectors.DefaultSelector() as selector:
        for stream in outputs:
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, selectors.EVENT_READ)
        if pending:
            os.set_blocking(child.stdin.fileno(), False)
            selector.register(child.stdin, selectors.EVENT_WRITE)
        else:
            child.stdin.close()
        if exit_notice is not None:
            selector.register(exit_notice, selectors.EVENT_READ)
        ended = False
        while any(key.fileobj != exit_notice for key in selector.get_map().values()):
            left = deadline - time.monotonic()
            if left <= 0:
                if ended:
                    break
                timed_out = True
                _kill_group(child.pid)
            if not ended and child.poll() is not None:
                ended, deadline = True, time.monotonic() + GRACE
                _kill_group(child.pid)
                if exit_notice is not None:
                    selector.unregister(exit_notice)
                continue
            for key, _ in selector.select(min(max(left, 0.01), 0.5)):
                if key.fileobj == exit_notice:
                    continue
                if key.fileobj is child.stdin:
                    pending = _feed(key.fd, pending)
                    if not pending:
                        selector.unregister(child.stdin)
                        child.stdin.close()
                    continue
                stream = child.stdout if key.fileobj is child.stdout else child.stderr
                with contextlib.suppress(BlockingIOError):
                    data = os.read(key.fd, 1 << 16)
                    if not data:
                        selector.unregister(stream)
                    totals[stream] += len(data)
                    kept[stream] += data[: max(0, limit - len(kept[stream]))]
    timed_out |= not _reaped(child, deadline)
    return timed_out, [(bytes(kept[stream]), totals[stream]) for stream in outputs]


@contextlib.contextmanager
def _open_ends(child: subprocess.Popen[bytes]) -> Iterator[int | None]:
    """The exit notice of `child`; it and the streams are closed at the end, also of an interrupted run."""
    notice = _exit_notice(child.pid)
    try:
        yield notice
    finally:
        if notice is not None:
            os.close(notice)
        for pipe in (child.stdin, child.stdout, child.stderr):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()


def _exit_notice(pid: int) -> int | None:
    """A descriptor that becomes readable when the child ends (Linux); None elsewhere, where polling must do."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def _feed(fd: int, pending: memoryview) -> memoryview:
    try:
        return pending[os.write(fd, pending[: 1 << 16]) :]
    except BlockingIOError:
        return pending
    except BrokenPipeError:
        return pending[:0]


def _reaped(child: subprocess.Popen[bytes], deadline: float) -> bool:
    """Wait for a child that closed its streams; False when its time was over before it ended."""
    try:
        child.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        _kill_group(child.pid)
        child.wait()
        return False
    return True


def _end_group(child: subprocess.Popen[bytes]) -> None:
    _kill_group(child.pid)
    child.wait()


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
