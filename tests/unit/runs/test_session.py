"""How the processes of one session find its runs."""

from __future__ import annotations

import signal
import subprocess
import sys
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


KILLED = """
import os, sys
from pathlib import Path
from pytest_reviewbench.runs.session import session_file
file = session_file(Path(sys.argv[1]), "dead")
file.begin()
file.publish({})
file.folder.mkdir()
(file.folder / "ledger").touch()
os.kill(os.getpid(), 9)
"""


def test_what_a_killed_session_left_is_gone_when_the_next_begins_and_only_that(tmp_path: Path) -> None:
    living, later = session_file(tmp_path, "living"), session_file(tmp_path, "later")
    living.begin()
    living.publish({})
    living.folder.mkdir()
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob(".session-dead*"))) == 3
    later.begin()
    assert list(tmp_path.glob(".session-dead*")) == []
    assert living.read() == {}
    assert living.folder.is_dir()
    living.remove()
    later.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_session_that_is_over_leaves_no_file_and_its_file_is_no_run(tmp_path: Path) -> None:
    file = session_file(tmp_path, "token")
    file.begin()
    file.publish({})
    assert list(list_runs(tmp_path)) == []
    file.remove()
    file.remove()
    assert list(tmp_path.iterdir()) == []
