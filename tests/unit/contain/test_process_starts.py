"""Children that start while others start, or while the session ends."""

from __future__ import annotations

import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.contain.process import Cancelled, Children

Popen = subprocess.Popen


def test_children_start_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    together = threading.Barrier(2, timeout=30)

    def start(*args: Any, **kwargs: Any) -> subprocess.Popen[bytes]:
        together.wait()  # breaks when one start has to end before the next one begins
        return Popen(*args, **kwargs)

    monkeypatch.setattr(subprocess, "Popen", start)
    children = Children()
    with ThreadPoolExecutor(2) as pool:
        ended = list(pool.map(lambda _: children.run(["true"], cwd=tmp_path, env={}, timeout=60), range(2)))
    assert [done.exit_code for done in ended] == [0, 0]


def test_a_child_that_starts_while_the_session_ends_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    children = Children()
    begun = []

    def start(*args: Any, **kwargs: Any) -> subprocess.Popen[bytes]:
        begun.append(Popen(*args, **kwargs))
        children.end_all()
        return begun[0]

    monkeypatch.setattr(subprocess, "Popen", start)
    started = time.monotonic()
    with pytest.raises(Cancelled):
        children.run(["sleep", "600"], cwd=tmp_path, env={}, timeout=900)
    assert time.monotonic() - started < 300  # not by waiting for it
    assert begun[0].returncode == -9
