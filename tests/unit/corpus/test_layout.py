"""What a corpus looks like from outside, and what must not lie in it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pytest_reviewbench.corpus.layout import (
    enclosing_corpus,
    is_corpus,
    refuse_code,
    refuse_configuration,
    refuse_paths_inside,
)
from pytest_reviewbench.errors import CorpusError

PATTERNS = ["test_*.py", "*_test.py"]


def index(folder: Path, text: str | bytes = '[{"id": "a", "split": "test"}]') -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a").mkdir(exist_ok=True)
    (folder / "a" / "ground-truth.json").touch()
    (folder / "manifest.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


@pytest.mark.parametrize(
    ("text", "corpus"),
    [
        ('[{"id": "a", "split": "test"}]', True),
        ('[1, {"id": 7, "split": null, "x": NaN}]', True),  # a bad one is still one: its code must not run
        (b'\xef\xbb\xbf [{"id": "a", "split": "test"}]', True),
        (" \n\t" + json.dumps([{"id": "a" * 10_000, "split": "test"}]), True),
        ("[]", False),
        ("", False),
        ("[", False),
        ("{}", False),
        ('{"id": "a", "split": "test"}', False),
        ('[{"id": "a"}, {"split": "b"}]', False),
        ('["id", "split"]', False),
        (b"[\xff]", False),
        ("[" * 100_000, False),
    ],
)
def test_a_folder_is_a_corpus_when_its_index_lists_ids_with_splits(
    tmp_path: Path, text: str | bytes, corpus: bool
) -> None:
    assert is_corpus(index(tmp_path, text)) is corpus


def test_a_list_of_ids_and_splits_without_a_case_beside_it_is_not_a_corpus(tmp_path: Path) -> None:
    (index(tmp_path) / "a" / "ground-truth.json").unlink()
    assert not is_corpus(tmp_path)


def test_nothing_else_is_a_corpus(tmp_path: Path) -> None:
    (tmp_path / "a" / "manifest.json").mkdir(parents=True)
    (tmp_path / "b").mkdir()
    os.mkfifo(tmp_path / "b" / "manifest.json")
    places = ("a", "b", "none", "x" * 5000, "a\0b", "a/manifest.json/x")
    assert not any(is_corpus(tmp_path / place) for place in places)


def test_a_changed_index_is_read_again(tmp_path: Path) -> None:
    assert not is_corpus(index(tmp_path, "[]"))
    assert is_corpus(index(tmp_path))
    (tmp_path / "manifest.json").unlink()
    assert not is_corpus(tmp_path)


def test_the_nearest_corpus_around_a_path_counts(tmp_path: Path) -> None:
    outer, inner = index(tmp_path / "o"), index(tmp_path / "o" / "x" / "i")
    assert enclosing_corpus(outer) == outer
    assert enclosing_corpus(outer / "x" / "y.py") == outer
    assert enclosing_corpus(inner / "manifest.json") == inner
    assert enclosing_corpus(tmp_path) is None


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("conftest.py", True),
        ("__init__.py", True),
        ("test_a.py", True),
        ("a_test.py", True),
        ("py-1/conftest.py", True),
        ("py-1/__init__.py", True),
        ("py-1/notes/test_a.py", True),
        ("py-1/context/conftest.py", True),
        ("py-1/context/a/b/conftest.py", True),
        ("context/test_a.py", True),
        ("py-1/context/test_a.py", False),
        ("py-1/context/tests/__init__.py", False),
        ("py-1/proof.py", False),
        ("py-1/test_a.txt", False),
        ("py-1/conftest.pyi", False),
        ("tests.py", False),
    ],
)
def test_code_is_refused_where_pytest_could_meet_it(tmp_path: Path, name: str, refused: bool) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).touch()
    if refused:
        with pytest.raises(CorpusError) as caught:
            refuse_code(tmp_path, PATTERNS)
        assert str(caught.value).startswith(f"{tmp_path / name}: ")
    else:
        refuse_code(tmp_path, PATTERNS)


def test_the_projects_own_patterns_decide_what_a_test_module_is(tmp_path: Path) -> None:
    (tmp_path / "check_a.py").touch()
    refuse_code(tmp_path, PATTERNS)
    with pytest.raises(CorpusError, match="check_a"):
        refuse_code(tmp_path, ["check_*.py"])


def test_a_link_called_conftest_is_refused_and_a_linked_folder_not_entered(tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "conftest.py").touch()
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "link").symlink_to(tmp_path / "away")
    (tmp_path / "c" / "loop").symlink_to(tmp_path / "c")
    refuse_code(tmp_path / "c", PATTERNS)
    (tmp_path / "c" / "conftest.py").symlink_to("/nowhere")
    with pytest.raises(CorpusError, match="conftest"):
        refuse_code(tmp_path / "c", PATTERNS)


def test_only_the_corpus_and_its_index_may_be_named(tmp_path: Path) -> None:
    corpus = index(tmp_path / "c")
    refuse_paths_inside([corpus, corpus / "manifest.json", tmp_path, tmp_path / "other"])
    for path in (corpus / "py-1", corpus / "py-1" / "context" / "a.py", corpus / "nothing"):
        with pytest.raises(CorpusError, match="--reviewbench-case=ID"):
            refuse_paths_inside([tmp_path, path])


def test_configuration_counts_when_it_is_there_and_inside(tmp_path: Path) -> None:
    corpus = index(tmp_path / "c")
    (tmp_path / "pytest.ini").touch()
    refuse_configuration(corpus, [tmp_path / "pytest.ini", corpus / "pyproject.toml"])
    (corpus / "pyproject.toml").touch()
    with pytest.raises(CorpusError, match=r"c/pyproject\.toml: a corpus must not configure"):
        refuse_configuration(corpus, [tmp_path / "pytest.ini", corpus / "pyproject.toml"])
