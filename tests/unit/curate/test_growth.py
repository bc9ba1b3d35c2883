"""A corpus folder that grows."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from pytest_reviewbench.corpus.split import later_split
from pytest_reviewbench.curate.growth import growing
from pytest_reviewbench.errors import CorpusError

FILES = {"meta.json": b"{}", "context/src/a.py": b"x\r\n"}


def test_ids_go_on_after_the_last_one_whoever_holds_it(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    (folder / "py-0012").mkdir(parents=True)  # not in the index, and not to be overwritten
    (folder / "manifest.json").write_text(
        '[{"id": "py-0003", "split": "test"}, {"id": "sh-0100", "split": "test"}]'
    )
    with growing(folder) as growth:
        assert [growth.next_id("py"), growth.next_id("py"), growth.next_id("js")] == [
            "py-0013",
            "py-0014",
            "js-0001",
        ]
        for taken in ("py-0003", "PY-0012", "manifest.json", "js-0001"):
            with pytest.raises(CorpusError, match="already, and nothing is overwritten"):
                growth.claim(taken)
        for name in ("py-1.twin", "a.r2", "../x", "a/b", ""):
            with pytest.raises(CorpusError, match="is not a case id"):
                growth.claim(name)


def test_sessions_that_add_at_once_lose_nothing(tmp_path: Path) -> None:
    def add() -> None:
        with growing(tmp_path / "corpus") as growth:
            growth.add(growth.next_id("py"), FILES)

    threads = [threading.Thread(target=add) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    entries = json.loads((tmp_path / "corpus" / "manifest.json").read_text())
    assert entries == [{"id": f"py-{n:04}", "split": later_split(f"py-{n:04}")} for n in range(1, 9)]
    for entry in entries:
        assert (tmp_path / "corpus" / entry["id"] / "context/src/a.py").read_bytes() == b"x\r\n"
    assert not list((tmp_path / "corpus").glob(".adding-*"))


def test_a_folder_that_is_no_corpus_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CorpusError, match=r"has no manifest\.json and is not empty"), growing(tmp_path):
        pass
    with pytest.raises(CorpusError, match="cannot be made or opened"), growing(tmp_path / "notes.txt" / "corpus"):
        pass
    with growing(tmp_path / "new"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
