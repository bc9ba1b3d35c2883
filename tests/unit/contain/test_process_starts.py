"""Children that start while others start, while the session ends, or after their supervisor was ended."""

from __future__ import annotations

import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.contain.minders import Minders
from pytest_reviewbench.contain.process import Cancelled, Children
from pytest_reviewbench.errors import ReviewFailed


def test_children_run_side_by_side(tmp_path: Path) -> None:
    children = Children()
    script = 'touch "$1"; while [ ! -e "$2" ]; do sleep 0.01; done'  # each waits for the other
    with ThreadPoolExecutor(2) as pool:
        ended = pool.map(
            lambda names: children.run(["sh", "-c", script, "sh", *names], cwd=tmp_path, env={}, timeout=60),
            [("a", "b"), ("b", "a")],
        )
    assert [done.exit_code for done in ended] == [0, 0]
    children.close()


def test_a_child_that_starts_while_the_session_ends_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    children = Children()
    launch = Minders.start

    def late(*args: Any, **kwargs: Any) -> Any:
        begun = launch(*args, **kwargs)
        children.end_all()
        return begun

    monkeypatch.setattr(Minders, "start", late)
    started = time.monotonic()
    with pytest.raises(Cancelled):
        children.run(["sleep", "600"], cwd=tmp_path, env={}, timeout=900)
    assert time.monotonic() - started < 60  # not by waiting for it
    children.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who is below whom")
def test_a_child_that_ends_what_watches_it_has_no_result_and_the_next_one_runs(tmp_path: Path) -> None:
    children = Children()
    script = "echo $$ > pid; kill -KILL $PPID; exec sleep 60"
    with pytest.raises(ReviewFailed, match="no result") as caught:
        children.run(["/bin/sh", "-c", script], cwd=tmp_path, env={}, timeout=20)
    assert caught.value.kind == "spawn"
    assert children.run(["/bin/echo", "well"], cwd=tmp_path, env={}, timeout=20).stdout == b"well\n"
    children.close()
    with pytest.raises(ProcessLookupError):  # the supervisor has seen to it
        os.kill(int((tmp_path / "pid").read_text()), 0)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who is below whom")
def test_a_child_that_ends_the_supervisor_is_seen_out_and_the_next_one_has_another(tmp_path: Path) -> None:
    children = Children()
    script = 'kill -KILL "$(ps -o ppid= -p $PPID)"; exit 7'
    assert children.run(["/bin/sh", "-c", script], cwd=tmp_path, env={}, timeout=20).exit_code == 7
    assert children.run(["/bin/echo", "well"], cwd=tmp_path, env={}, timeout=20).stdout == b"well\n"
    children.close()


def test_the_supervisor_ends_with_its_children_object(tmp_path: Path) -> None:
    children = Children()
    done = children.run(["/bin/sh", "-c", "ps -o ppid= -p $PPID"], cwd=tmp_path, env={}, timeout=20)
    supervisor = int(done.stdout)
    children.close()
    with pytest.raises(ProcessLookupError):
        os.kill(supervisor, signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who is below whom")
def test_a_child_that_stops_its_minder_is_gone_when_the_session_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_reviewbench.contain.streams.PATIENCE", 0.5)
    monkeypatch.setattr("pytest_reviewbench.contain.streams.GRACE", 0.5)
    children = Children()
    script = "echo $$ > pid; echo $PPID > minder; kill -STOP $PPID; exec sleep 600"
    with pytest.raises(ReviewFailed, match="no result"):
        children.run(["/bin/sh", "-c", script], cwd=tmp_path, env={}, timeout=1)
    children.close()
    for name in ("minder", "pid"):
        with pytest.raises(ProcessLookupError):
            os.kill(int((tmp_path / name).read_text()), 0)
