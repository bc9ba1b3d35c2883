"""Two processes that verify the same run take turns."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from pytest_reviewbench.errors import RunError
from pytest_reviewbench.runs.turns import one_at_a_time
from tests.unit.runs.making import make_run


def test_the_second_says_that_it_waits_and_begins_when_the_first_has_ended(tmp_path: Path) -> None:
    one, other = make_run(tmp_path, arm="one"), make_run(tmp_path, arm="other")
    order: list[str] = []
    waits = threading.Event()

    def say(line: str) -> None:
        order.append(line)
        waits.set()

    def second() -> None:
        with one_at_a_time([other, one], ["judge-a", "judge-b"], say):
            order.append("second")

    with one_at_a_time([one], ["judge-b"], order.append):
        thread = threading.Thread(target=second)
        thread.start()
        assert waits.wait(20)
        order.append("first ends")
    thread.join(20)
    said = f"reviewbench: another process is verifying {one.name} by judge-b; waiting for it"
    assert order == [said, "first ends", "second"]


def test_another_run_or_another_verifier_waits_for_nobody(tmp_path: Path) -> None:
    one, other = make_run(tmp_path, arm="one"), make_run(tmp_path, arm="other")
    said: list[str] = []
    with (
        one_at_a_time([one], ["judge-a"], said.append),
        one_at_a_time([one], ["judge-b"], said.append),
        one_at_a_time([other], ["judge-a"], said.append),
    ):
        assert said == []
    assert one.verifiers() == []  # a lock is no verdict


def test_a_run_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    (run.path / ".verifying").write_text("")
    with pytest.raises(RunError, match="cannot be written"), one_at_a_time([run], ["judge-a"], print):
        pass
