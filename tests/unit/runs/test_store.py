"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_reviewbench.runs import store


def test_what_is_written_once_is_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "reviews" / "a1.json"
    store.write_once(file, b"first")
    with pytest.raises(FileExistsError):
        store.write_once(file, b"second")
    assert file.read_bytes() == b"first"
    assert list(file.parent.iterdir()) == [file], "the refused data is gone as well"


def test_replacing_takes_the_place_and_leaves_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    for data in (b"first", b"second, and longer"):
        store.replace(file, data)
        assert file.read_bytes() == data
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("write", "moment"),
    [(store.write_once, "fsync"), (store.write_once, "link"), (store.replace, "fsync"), (store.replace, "replace")],
    ids=["once, written", "once, named", "replace, written", "replace, named"],
)
def test_a_write_that_stops_in_between_is_never_visible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path, bytes], None], moment: str
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, moment, stop)
    with pytest.raises(OSError, match="the disk is full"):
        write(tmp_path / "a1.json", b"whole")
    assert list(tmp_path.glob("*.json")) == [], "what is left over is not taken for a record"


def test_of_many_writers_at_once_one_wins_and_nobody_sees_a_mixture(tmp_path: Path) -> None:
    file = tmp_path / "a1.json"
    won: list[bytes] = []
    seen: set[bytes] = set()
    barrier = threading.Barrier(8)

    def write(mine: bytes) -> None:
        barrier.wait()
        try:
            store.write_once(file, mine)
            won.append(mine)
        except FileExistsError:
            pass
        seen.add(file.read_bytes())

    threads = [threading.Thread(target=write, args=(bytes([65 + n]) * 100_000,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert seen == set(won)
