"""How many reviews are in flight, and how few threads work beside them.

A review waits for its reviewer almost all the time; what comes before (workspace) and after (matching) is work
that holds the interpreter. 64 threads that all want it at once wait for each other for longer than they work,
so one at a time does that, which also keeps the order of the cases; and the next reviews are made ready while
others wait, so that a place that becomes free is taken at once.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Iterator

from pytest_reviewbench.contain.process import Cancelled

AHEAD = 8
"""Reviews that are made ready while all places are taken, at most as many as there are places."""
DESKS = 1


class Lanes:
    """`jobs` answers at once, from `threads` threads, begun in the order in which they were ready."""

    def __init__(self, jobs: int) -> None:
        self.threads = jobs + min(jobs, AHEAD)
        self._places = _Queue(jobs)
        self._desks = _Queue(DESKS)
        self._closed = threading.Event()

    @contextlib.contextmanager
    def desk(self) -> Iterator[None]:
        """For work that holds the interpreter; never to be held while waiting for anybody."""
        self._desks.join().wait()
        try:
            yield
        finally:
            self._desks.leave()

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """A place among those in flight, the desk given back meanwhile. Raises `Cancelled` after `close`."""
        turn = self._places.join()  # before the next one gets the desk, so that nobody passes
        self._desks.leave()
        try:
            turn.wait()
            try:
                if self._closed.is_set():
                    raise Cancelled("not started because the session is ending")
                yield
            finally:
                self._places.leave()
        finally:
            self._desks.join().wait()

    def close(self) -> None:
        """No answer is begun any more."""
        self._closed.set()


class _Queue:
    """A semaphore that serves in order: threading's lets a newcomer pass those who wait."""

    def __init__(self, free: int) -> None:
        self._lock = threading.Lock()
        self._free = free
        self._waiting: deque[threading.Event] = deque()

    def join(self) -> threading.Event:
        """Stand in the queue; the event is set when it is one's turn."""
        turn = threading.Event()
        with self._lock:
            if self._free:
                self._free -= 1
                turn.set()
            else:
                self._waiting.append(turn)
        return turn

    def leave(self) -> None:
        """Give one's place to the next."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1
