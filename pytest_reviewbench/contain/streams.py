"""The streams of one child: fed, drained and bounded while it runs."""

from __future__ import annotations

import contextlib
import json
import os
import select
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from pytest_reviewbench.contain.minders import Minder

GRACE = 2.0
"""Seconds that a stream may stay open after the whole tree ended (something got away and holds it)."""
PATIENCE = 10.0
"""Seconds within which a tree must have been ended."""
CHUNK = 1 << 16


class Streams:
    """Pipes to and from one child. `kept` are the first bytes of `out` and `err`, `totals` how many there were."""

    def __init__(self, *, fed: bool) -> None:
        self._pairs = [os.pipe() for _ in range(3 if fed else 2)]
        self.out, self.err = self._pairs[0][0], self._pairs[1][0]
        self._feed = self._pairs[2][1] if fed else None
        self.kept = {self.out: bytearray(), self.err: bytearray()}
        self.totals = dict.fromkeys(self.kept, 0)
        self.timed_out = False
        self._ours = {self.out, self.err} | ({self._feed} if self._feed is not None else set())
        self._told = bytearray()

    def __enter__(self) -> Streams:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        for descriptor in list(self._ours):
            self._close(descriptor)

    @contextlib.contextmanager
    def handed_over(self) -> Iterator[list[int]]:
        """The child's ends: stdout, stderr, and stdin if it is fed. Closed here once it has them."""
        theirs = [self._pairs[0][1], self._pairs[1][1], *(pair[0] for pair in self._pairs[2:])]
        try:
            yield theirs
        finally:
            for descriptor in theirs:
                os.close(descriptor)

    def follow(self, minder: Minder, deadline: float, stdin: bytes, limit: int) -> None:
        """Feed and drain the child until it is told how it ended and its streams are closed, or time is over."""
        control = minder.control.fileno()
        pending = memoryview(stdin)
        waiting = select.poll()
        open_ends = {self.out, self.err, control}
        for descriptor in open_ends:
            waiting.register(descriptor, select.POLLIN)
        if self._feed is not None:
            os.set_blocking(self._feed, False)
            waiting.register(self._feed, select.POLLOUT)
        while open_ends:
            left = deadline - time.monotonic()
            if left <= 0:
                if control not in open_ends or self.timed_out:
                    break
                self.timed_out = True
                minder.ask_to_end()
                deadline = time.monotonic() + PATIENCE
                continue
            for descriptor, _ in waiting.poll(left * 1000 + 1):
                if descriptor == self._feed:
                    pending = _fed(descriptor, pending)
                    over = not pending
                elif descriptor == control:
                    over = self._listened(minder)
                    deadline = time.monotonic() + GRACE if over else deadline
                else:
                    over = not self._drained(descriptor, limit)
                if over:
                    waiting.unregister(descriptor)
                    open_ends.discard(descriptor)
                    if descriptor == self._feed:
                        self._close(descriptor)

    def see_out(self, minder: Minder) -> dict[str, Any] | None:
        """What was told of the end; None: nothing. After an interrupt the child is asked to end and waited for."""
        if not self._told.endswith(b"\n"):
            minder.ask_to_end()
            minder.control.settimeout(GRACE)
            with contextlib.suppress(OSError):
                while not self._listened(minder):
                    pass
        try:
            said: dict[str, Any] = json.loads(self._told)
        except ValueError:
            return None
        return said

    def _listened(self, minder: Minder) -> bool:
        """Take in what is told; is that all?"""
        said = minder.control.recv(4096)
        self._told += said
        return not said or self._told.endswith(b"\n")

    def _drained(self, descriptor: int, limit: int) -> bool:
        data = os.read(descriptor, CHUNK)
        self.totals[descriptor] += len(data)
        self.kept[descriptor] += data[: max(0, limit - len(self.kept[descriptor]))]
        return bool(data)

    def _close(self, descriptor: int) -> None:
        self._ours.discard(descriptor)
        os.close(descriptor)


def _fed(descriptor: int, pending: memoryview) -> memoryview:
    try:
        return pending[os.write(descriptor, pending[:CHUNK]) :]
    except BlockingIOError:
        return pending
    except BrokenPipeError:
        return pending[:0]
