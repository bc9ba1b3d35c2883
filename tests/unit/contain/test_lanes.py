"""N answers at once, more made ready behind them."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from pytest_reviewbench.contain.lanes import AHEAD, DESKS, Lanes
from pytest_reviewbench.contain.process import Cancelled


@pytest.mark.parametrize(("jobs", "threads"), [(1, 2), (4, 8), (64, 64 + AHEAD)])
def test_threads_are_the_jobs_and_a_few_that_prepare(jobs: int, threads: int) -> None:
    assert Lanes(jobs).threads == threads


def test_never_more_answers_at_once_than_jobs_nor_more_work_than_desks() -> None:
    lanes = Lanes(3)
    lock = threading.Lock()
    now = {"answering": 0, "working": 0}
    most = dict(now)

    def count(what: str, step: int) -> None:
        with lock:
            now[what] += step
            most[what] = max(most[what], now[what])

    full = threading.Barrier(3, timeout=30)

    def review(_: int) -> None:
        with lanes.desk():
            count("working", 1)
            count("working", -1)
            with lanes.answering():
                count("answering", 1)
                full.wait()  # ends only if three are here at once
                count("answering", -1)

    with ThreadPoolExecutor(lanes.threads) as pool:
        list(pool.map(review, range(12)))
    assert most["answering"] == 3
    assert most["working"] <= DESKS


def test_after_close_no_answer_begins_and_the_desk_is_free_again() -> None:
    lanes = Lanes(1)
    lanes.close()
    for _ in range(DESKS + 1):
        with lanes.desk(), pytest.raises(Cancelled), lanes.answering():
            raise AssertionError("it began")


def test_answers_begin_in_the_order_in_which_they_were_made_ready() -> None:
    lanes = Lanes(1)
    begun: list[int] = []
    ready = [threading.Event() for _ in range(8)]
    go = threading.Event()

    def review(n: int) -> None:
        with lanes.desk():
            ready[n].set()
            with lanes.answering():
                begun.append(n)
                go.wait(30)

    threads = [threading.Thread(target=review, args=(n,)) for n in range(8)]
    for n, thread in enumerate(threads):
        thread.start()
        assert ready[n].wait(30)  # the next one comes when this one is ready, at a moment when places may be free
        if n == 4:
            go.set()
    for thread in threads:
        thread.join(30)
    assert begun == list(range(8))
