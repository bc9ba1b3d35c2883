"""The identity of a corpus: it changes with what is shown or true, and with nothing else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_reviewbench.corpus.digest import corpus_sha256
from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.errors import CorpusError
from tests.samples import write_case


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    write_case(tmp_path / "c", "py-1")
    write_case(tmp_path / "c", "py-2", split="train", bugs=[])
    return tmp_path / "c"


def identity(corpus: Path) -> str:
    return corpus_sha256(load_corpus(corpus, None))


def append(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a") as file:
        file.write(" ")


COUNTS: dict[str, Callable[[Path], object]] = {
    "index": lambda c: append(c / "manifest.json"),
    "patch": lambda c: append(c / "py-1" / "change.patch"),
    "truth": lambda c: append(c / "py-2" / "ground-truth.json"),
    "metadata": lambda c: append(c / "py-2" / "meta.json"),
    "context": lambda c: append(c / "py-1" / "context" / "pkg" / "a.py"),
    "new context": lambda c: append(c / "py-1" / "context" / "pkg" / "b.py"),
    "moved context": lambda c: (c / "py-1" / "context" / "pkg" / "a.py").rename(c / "py-1" / "context" / "a.py"),
    "no folder": lambda c: shutil.rmtree(c / "py-2"),
}


@pytest.mark.parametrize("name", COUNTS)
def test_what_decides_a_number_changes_the_identity(corpus: Path, name: str) -> None:
    before = identity(corpus)
    COUNTS[name](corpus)
    assert identity(corpus) != before


IGNORED: dict[str, Callable[[Path], object]] = {
    "proof": lambda c: append(c / "py-1" / "proof.py"),
    "note": lambda c: append(c / "py-1" / "README.md"),
    "unknown file": lambda c: append(c / "py-1" / "notes.txt"),
    "unlisted folder": lambda c: append(c / "py-3" / "change.patch"),
    "empty folder": lambda c: (c / "py-1" / "context" / "empty").mkdir(),
    "times": lambda c: os.utime(c / "py-1" / "change.patch", (0, 0)),
    "modes": lambda c: (c / "py-1" / "change.patch").chmod(0o600),
}


@pytest.mark.parametrize("name", IGNORED)
def test_what_decides_none_does_not(corpus: Path, name: str) -> None:
    before = identity(corpus)
    IGNORED[name](corpus)
    assert identity(corpus) == before


def test_the_same_corpus_elsewhere_is_the_same_corpus(corpus: Path, tmp_path: Path) -> None:
    shutil.copytree(corpus, tmp_path / "elsewhere" / "copy")
    (tmp_path / "link").symlink_to(corpus)
    assert identity(corpus) == identity(tmp_path / "elsewhere" / "copy") == identity(tmp_path / "link")


def test_a_link_or_a_pipe_in_an_unselected_case_is_an_error_too(corpus: Path) -> None:
    os.mkfifo(corpus / "py-2" / "context" / "pipe")
    with pytest.raises(CorpusError, match="pipe: is not a regular file"):
        identity(corpus)
    (corpus / "py-2" / "context" / "pipe").unlink()
    (corpus / "py-2" / "context" / "link").symlink_to("pkg")
    with pytest.raises(CorpusError, match="link: is a link"):
        identity(corpus)
