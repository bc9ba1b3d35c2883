"""A review is done once, by whoever needs it first."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from pathlib import Path

import pytest

from pytest_reviewbench.runs.claims import claim, standing, withdrawn
from pytest_reviewbench.runs.folder import RunFolder
from tests.unit.runs.making import make_run, matches, review

SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path / "runs")


def test_the_first_claim_is_open_and_the_next_finds_the_record(run: RunFolder) -> None:
    assert standing(run, "a1") == "open"
    with claim(run, "a1") as held:
        assert (held.standing, held.record) == ("open", None)
        assert standing(run, "a1") == "running"
        run.write_review(review(), matches(), "raw")
    with claim(run, "a1") as held:
        assert (held.standing, held.record) == ("done", review())


def test_a_review_given_back_with_a_reason_is_open_and_keeps_the_reason_until_it_is_begun(run: RunFolder) -> None:
    assert withdrawn(run, "a1") is None
    with claim(run, "a1") as held:
        held.withdraw("no money was left")
    assert (standing(run, "a1"), withdrawn(run, "a1")) == ("open", "no money was left")
    with claim(run, "a1") as held:
        assert held.standing == "open"
        assert withdrawn(run, "a1") is None
        held.withdraw()
    assert (standing(run, "a1"), withdrawn(run, "a1")) == ("open", None)


def test_a_claim_without_a_record_was_abandoned(run: RunFolder) -> None:
    with claim(run, "a1"):
        pass
    assert standing(run, "a1") == "abandoned"
    for _ in range(2):
        with claim(run, "a1") as held:
            assert held.standing == "abandoned"


def test_a_withdrawn_claim_is_open_again(run: RunFolder) -> None:
    with claim(run, "a1") as held:
        held.withdraw()
    assert standing(run, "a1") == "open"
    with claim(run, "a1") as held:
        assert held.standing == "open"


def test_claims_of_different_cases_do_not_wait_for_each_other(run: RunFolder) -> None:
    with claim(run, "a1"), claim(run, "a2") as other:
        assert other.standing == "open"


def test_asking_how_a_review_stands_neither_waits_nor_makes_a_mark(run: RunFolder) -> None:
    assert standing(run, "a1") == "open"
    assert not run.claim_path("a1").exists()
    with claim(run, "a1"):
        assert standing(run, "a1") == "running"


def test_a_process_that_dies_leaves_its_claim_abandoned(run: RunFolder) -> None:
    died = SPAWN.Process(target=claim_and_die, args=(str(run.path),))
    died.start()
    died.join(30)
    assert died.exitcode == 9
    assert standing(run, "a1") == "abandoned"


def test_of_two_processes_that_race_one_pays_and_both_get_the_record(run: RunFolder, tmp_path: Path) -> None:
    workers = [SPAWN.Process(target=pay, args=(str(run.path), str(tmp_path / "paid"))) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert len((tmp_path / "paid").read_text().splitlines()) == 20, "each of 20 reviews was paid for once"


def test_of_eight_threads_that_race_one_pays_and_all_get_the_record(run: RunFolder) -> None:
    paid: list[str] = []
    found: list[object] = []
    barrier = threading.Barrier(8)

    def need() -> None:
        barrier.wait()
        with claim(run, "a1") as held:
            if held.standing == "open":
                paid.append("once")
                time.sleep(0.05)
                run.write_review(review(), matches(), "")
        found.append(run.review("a1"))

    threads = [threading.Thread(target=need) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert paid == ["once"]
    assert found == [review()] * 8


def test_a_claim_is_no_record(run: RunFolder) -> None:
    with claim(run, "a1"):
        assert run.review("a1") is None
        assert not run.finish()


def test_an_error_inside_a_claim_frees_the_lock(run: RunFolder) -> None:
    with pytest.raises(ZeroDivisionError), claim(run, "a1"):
        raise ZeroDivisionError
    assert standing(run, "a1") == "abandoned"


def claim_and_die(path: str) -> None:
    with claim(RunFolder(Path(path)), "a1"):
        os._exit(9)


def pay(path: str, paid: str) -> None:
    run = RunFolder(Path(path))
    for n in range(20):
        case = f"a{n}"
        with claim(run, case) as held:
            if held.standing == "open":
                with open(paid, "a") as log:
                    log.write(case + "\n")
                run.write_review(review(case), matches(case), "")
        if run.review(case) is None:
            raise AssertionError(f"{case} has no record")
