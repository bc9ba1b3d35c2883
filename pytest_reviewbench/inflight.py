"""Keeps several reviews in flight in one pytest process, and reports each item when its review is done.

Only public hooks: the loop submits every review to a pool of threads (a review waits for child processes) and
runs the ordinary protocol of pytest for an item once its result is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue

import pytest

from pytest_reviewbench.collection import ReviewItem
from pytest_reviewbench.reviewing import Reviewed


class InflightLoop:
    """A plugin that replaces pytest's loop over items.

    `enough` lets no further review begin; `stop` must also end what the threads wait for.
    """

    def __init__(self, jobs: int, enough: Callable[[], None], stop: Callable[[], None]) -> None:
        self._jobs = jobs
        self._enough = enough
        self._stop = stop
        self._failures = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.config.option.collectonly or session.config.pluginmanager.has_plugin("dsession"):
            return None  # xdist distributes items; `-n N` means N reviews
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            return None  # pytest's own loop says so
        reviews = [item for item in session.items if isinstance(item, ReviewItem)]
        others = [item for item in session.items if not isinstance(item, ReviewItem)]
        pool = ThreadPoolExecutor(self._jobs, thread_name_prefix="review")
        finished = False
        try:
            for item, nextitem in self._ready(others, reviews, pool):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=nextitem)
                if session.shouldfail:
                    raise session.Failed(session.shouldfail)
                if session.shouldstop:
                    raise session.Interrupted(session.shouldstop)
            finished = True
        finally:
            if not finished:
                pool.shutdown(wait=False, cancel_futures=True)
                self._stop()
            pool.shutdown(wait=True)
        return True

    def _ready(
        self, others: list[pytest.Item], reviews: list[ReviewItem], pool: ThreadPoolExecutor
    ) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
        """Ordinary items in their order, then reviews in the order in which they end."""
        done: SimpleQueue[ReviewItem] = SimpleQueue()
        for item in reviews:
            item.future = pool.submit(item.review)
            item.future.add_done_callback(self._announcer(item, done))
        yield from zip(others, [*others[1:], None], strict=False)
        for _ in reviews:
            item = done.get()
            yield item, None
            item.future = None  # 40,000 results need not be kept; the record is on disk

    def _announcer(self, item: ReviewItem, done: SimpleQueue[ReviewItem]) -> Callable[[Future[Reviewed]], None]:
        maxfail: int = item.config.getoption("maxfail") or 0

        def announce(future: Future[Reviewed]) -> None:
            try:
                ended_well = (
                    not future.cancelled() and future.exception() is None and not item.fails(future.result())
                )
                self._failures += not ended_well
                if 0 < maxfail <= self._failures:  # -x: pytest stops once it reports this item
                    self._enough()
            finally:
                done.put(item)  # whatever happens here: the loop waits for it

        return announce
