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
