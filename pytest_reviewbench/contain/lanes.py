"""How many reviews are in flight, and how few threads work beside them.

A review waits for its reviewer almost all the time; what comes before (workspace) and after (matching) is work
that holds the interpreter. 64 threads that all want it at once wait for each other for longer than they work,
so one at a time does that, which also keeps the order of the cases; and the next reviews are made ready while
others wait, so that a place that becomes free is taken at once.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from pytest_reviewbench.contain.process import Cancelled

AHEAD = 8
"""Reviews that are made ready while all places are taken, at most as many as there are places."""
DESKS = 1


class Lanes:
    """`jobs` answers at once, from `threads` threads."""

    def __init__(self, jobs: int) -> None:
        self.threads = jobs + min(jobs, AHEAD)
        self._places = threading.Semaphore(jobs)
        self._desks = threading.Semaphore(DESKS)
        self._closed = threading.Event()

    @contextlib.contextmanager
    def desk(self) -> Iterator[None]:
        """For work that holds the interpreter; never to be held while waiting for anybody."""
        with self._desks:
            yield

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """A place among those in flight, the desk given back meanwhile. Raises `Cancelled` after `close`."""
        self._desks.release()
        try:
            with self._places:
                if self._closed.is_set():
                    raise Cancelled("not started because the session is ending")
                yield
        finally:
            self._desks.acquire()

    def close(self) -> None:
        """No answer is begun any more."""
        self._closed.set()
