"""The ledger that the processes of a benchmark share."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_reviewbench.contain.process import Cancelled
from pytest_reviewbench.errors import OverBudget
from pytest_reviewbench.sessions.ledger import Balance, Ledger

SPEND = """
import sys
from pathlib import Path
from pytest_reviewbench.errors import OverBudget
from pytest_reviewbench.sessions.ledger import Ledger
book = Ledger(Path(sys.argv[1]), max_cost=20)
held = 0
try:
    while True:
        book.begin()
        held += 1
        book.end(0.1)
except OverBudget:
    print(held)
"""


def book(
    folder: Path, *, now: float = 0.0, max_cost: float | None = None, max_seconds: float | None = None
) -> Ledger:
    made = Ledger(folder / "ledger", max_cost=max_cost, max_seconds=max_seconds, clock=lambda: now)
    if not (folder / "ledger").exists():
        made.open(100.0)
    return made


def test_money_is_counted_and_bounds_what_begins(tmp_path: Path) -> None:
    mine = book(tmp_path, max_cost=0.3)
    for _ in range(3):  # in binary a tenth three times is not three tenths
        mine.begin()
        mine.end(0.1)
    with pytest.raises(OverBudget, match=r"0\.3 USD are spent \(max-cost\)"):
        mine.begin()
    assert mine.balance() == Balance(100.0, begun=3, ended=3, refused=1, spent=0.3)


def test_what_runs_may_pass_the_bound(tmp_path: Path) -> None:
    mine = book(tmp_path, max_cost=1)
    mine.begin()
    mine.begin()
    mine.end(5)
    mine.end(5)
    assert mine.balance().spent == 10


def test_unknown_costs_and_sessions_that_never_ended_are_told_apart_from_what_is_counted(tmp_path: Path) -> None:
    mine = book(tmp_path, max_cost=1)
    for cost in (None, 0.5):
        mine.begin()
        mine.end(cost)
    mine.begin()
    assert (mine.balance().spent, mine.balance().uncounted) == (0.5, 2)


def test_time_is_counted_from_the_start_for_whoever_asks(tmp_path: Path) -> None:
    early, late = (book(tmp_path, now=now, max_seconds=60) for now in (159.9, 160.0))
    early.begin()
    early.check_time()
    with pytest.raises(OverBudget, match=r"the 1 minutes are over \(max-minutes\)"):
        late.begin()
    with pytest.raises(OverBudget):
        late.check_time()
    assert late.balance().refused == 2
    book(tmp_path, now=1e9).begin()


def test_a_line_that_a_killed_process_left_unfinished_loses_nothing(tmp_path: Path) -> None:
    mine = book(tmp_path)
    mine.begin()
    mine.end(2.0)
    for rest in (b'{"started": 100.0, "beg', b"\n", b""):
        with open(tmp_path / "ledger", "ab") as file:
            file.write(rest)
        mine.begin()
        mine.end(1.0)
    assert (mine.balance().begun, mine.balance().spent) == (4, 5.0)


def test_two_processes_spend_from_one_purse(tmp_path: Path) -> None:
    mine = book(tmp_path)
    argv = [sys.executable, "-c", SPEND, str(tmp_path / "ledger")]
    both = [subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    held = [int(one.communicate()[0]) for one in both]
    assert sum(held) in (200, 201)  # the last may begin while the other's has not ended
    assert mine.balance().begun == mine.balance().ended == sum(held)
    assert mine.balance().spent == pytest.approx(sum(held) / 10)


def test_nothing_begins_when_the_ledger_is_gone_and_what_ended_is_no_error(tmp_path: Path) -> None:
    mine = book(tmp_path, max_seconds=60)
    mine.begin()
    (tmp_path / "ledger").unlink()
    mine.end(0.1)
    for late in (mine.begin, mine.check_time):
        with pytest.raises(Cancelled):
            late()
