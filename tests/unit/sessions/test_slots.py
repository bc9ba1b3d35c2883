"""So many sessions at once, over processes."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pytest_reviewbench.contain.process import Cancelled
from pytest_reviewbench.sessions.slots import Slots

TAKE = """
import sys
from pathlib import Path
from pytest_reviewbench.sessions.slots import Slots
with Slots(Path(sys.argv[1]), 1).taken("claude", lambda seconds: sys.exit("taken")):
    print("mine", flush=True)
    sys.stdin.read()
"""


class Taken(Exception):
    pass


def refuse(seconds: float) -> None:
    raise Taken


def test_so_many_are_taken_at_once_and_each_agent_has_its_own(tmp_path: Path) -> None:
    slots = Slots(tmp_path, 2)
    with slots.taken("claude", refuse), slots.taken("claude", refuse):
        with pytest.raises(Taken), slots.taken("claude", refuse):
            pass
        with slots.taken("codex", refuse):
            pass
    with slots.taken("claude", refuse):
        pass


def test_nobody_waits_for_a_slot_of_a_session_that_is_over(tmp_path: Path) -> None:
    with pytest.raises(Cancelled), Slots(tmp_path / "gone", 1).taken("claude", refuse):
        pass


def test_threads_wait_for_their_turn(tmp_path: Path) -> None:
    slots = Slots(tmp_path, 1)
    inside = most = 0
    lock = threading.Lock()
    never = threading.Event()

    def pause(seconds: float) -> None:
        never.wait(0.001)

    def work() -> None:
        nonlocal inside, most
        with slots.taken("claude", pause):
            with lock:
                inside += 1
                most = max(most, inside)
            never.wait(0.002)
            with lock:
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_process_that_dies_gives_its_slot_back(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", TAKE, str(tmp_path)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "mine\n"
        with pytest.raises(Taken), Slots(tmp_path, 1).taken("claude", refuse):
            pass
        other.kill()
        other.wait()
        with Slots(tmp_path, 1).taken("claude", refuse):
            pass
