"""How the processes of one session find its runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_reviewbench.errors import RunError
from pytest_reviewbench.runs.folder import RunFolder, list_runs
from pytest_reviewbench.runs.session import session_file


def test_every_process_of_a_session_reads_the_same_runs(tmp_path: Path) -> None:
    runs = {("echo", 1): RunFolder(tmp_path / "echo-1"), ("echo", 2): RunFolder(tmp_path / "ä b")}
    session_file(tmp_path, "token").publish(runs)
    read = session_file(tmp_path, "token").read()
    assert {key: run.path for key, run in read.items()} == {key: run.path for key, run in runs.items()}


def test_sessions_in_one_place_do_not_see_each_other(tmp_path: Path) -> None:
    mine, other = session_file(tmp_path, "mine"), session_file(tmp_path, "other")
    mine.publish({("echo", 1): RunFolder(tmp_path / "mine")})
    with pytest.raises(RunError, match=r"every worker must see the runs folder of the controller"):
        other.read()


def test_a_session_that_is_over_leaves_no_file_and_its_file_is_no_run(tmp_path: Path) -> None:
    file = session_file(tmp_path, "token")
    file.publish({})
    assert list(list_runs(tmp_path)) == []
    file.remove()
    file.remove()
    assert list(tmp_path.iterdir()) == []
