"""A small corpus whose code is pinned and lies in the cache, with a proof that works."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.search import Searcher
from pytest_reviewbench.corpus.sources.cache import Cache
from pytest_reviewbench.curate.canary import CANARY
from pytest_reviewbench.curate.check import Checked, check_corpus_folder
from pytest_reviewbench.curate.prove import Means
from tests.unit.sources.conftest import Publish, cache, publish

__all__ = ["cache", "publish"]

BUGGY = b"""# How long a window is.
def width(low, high):
    return high - low


def name():
    return 'window'
"""
FIXED = BUGGY.replace(b"high - low", b"high - low + 1")
PROOF = (
    f"# {CANARY}\n"
    """import os, sys
def bug_present(root):
    sys.path.insert(0, os.path.join(root, "package"))
    import a
    assert a.name() == "window"
    return a.width(1, 2) == 1
try:
    code = 1 if bug_present(sys.argv[1]) else 0
except BaseException:
    code = 2
os._exit(code)
"""
)
BUG: dict[str, Any] = {
    "id": "b1",
    "file": "package/a.py",
    "bug": "The width leaves out the last element.",
    "match": r"width.{0,40}last element|inclusive.{0,40}width",
    "example": "The width does not count the last element: width(1, 2) is 1.",
    "severity": "medium",
    "category": "logic",
    "line": 3,
    "end_line": 3,
}
META: dict[str, Any] = {
    "lang": "python",
    "licence": "MIT",
    "upstream": "https://example.org/demo",
    "class": "trivial",
    "symptom": "Windows are too narrow.",
    "published": "2025-11-03",
}
NEIGHBOUR = "The name is built twice."


@dataclass
class Corpus:
    """The folder, and a check of it."""

    folder: Path
    means: Means
    search: Searcher

    def check(self, *ids: str, proofs: bool = False) -> dict[str, Checked]:
        found = check_corpus_folder(
            self.folder, ids, self.means, self.search.search, proofs=proofs, jobs=2,
            progress=lambda what: lambda done, total, name: None,
        )  # fmt: skip
        return {one.id: one for one in found}

    def write(self, name: str, text: str) -> None:
        """Replace a file of the case with the bug."""
        (self.folder / "py-1" / name).write_text(text)

    def edit(self, name: str, **keys: Any) -> None:
        """Replace keys of a JSON file of the case with the bug; those of the truth are its bug's."""
        file = self.folder / "py-1" / name
        value = json.loads(file.read_text())
        (value["bugs"][0] if name.startswith("ground") else value).update(keys)
        file.write_text(json.dumps(value))

    def said(self, *, proofs: bool = False) -> list[str]:
        """Everything that is wrong with the case with the bug: `weight: where: what`."""
        return [f"{one.weight}: {one}" for one in self.check("py-1", proofs=proofs)["py-1"].problems]


@pytest.fixture
def corpus(tmp_path: Path, publish: Publish, cache: Cache) -> Iterator[Corpus]:
    folder = tmp_path / "corpus"
    bug = publish(buggy={"package/a.py": BUGGY}, fixed={"package/a.py": FIXED})
    clean = publish(
        buggy={"package/a.py": FIXED}, fixed={"package/a.py": FIXED.replace(b"'window'", b"'pane'")}, mode="forward"
    )
    write(folder / "py-1", META | {"source": msgspec.to_builtins(bug)}, [BUG])
    (folder / "py-1" / "proof.py").write_text(PROOF)
    about = {key: value for key, value in META.items() if key not in ("class", "symptom")}
    write(folder / "py-2", about | {"source": msgspec.to_builtins(clean), "why_clean": "A new name."}, [])
    index = [{"id": "py-1", "split": "test"}, {"id": "py-2", "split": "train"}, {"id": "py-3", "split": "test"}]
    (folder / "manifest.json").write_text(json.dumps(index))
    children, searcher = Children(), Searcher()
    yield Corpus(folder, Means(cache, children, True, {"PATH": "/usr/bin:/bin"}, tmp_path), searcher)
    children.close()
    searcher.close()


def write(folder: Path, meta: object, bugs: list[Any]) -> None:
    folder.mkdir(parents=True)
    (folder / "meta.json").write_text(json.dumps(meta))
    (folder / "ground-truth.json").write_text(json.dumps({"canary": CANARY, "matcher_version": 1, "bugs": bugs}))
