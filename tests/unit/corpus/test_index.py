"""A corpus folder becomes validated cases, or one error; the session tests hold the long list of errors."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_reviewbench import codec
from pytest_reviewbench.contain.search import Searcher
from pytest_reviewbench.corpus.index import load_corpus, read_index, safe_path
from pytest_reviewbench.corpus.shown import show
from pytest_reviewbench.errors import CorpusError, NoChange
from pytest_reviewbench.model import Review
from tests.samples import BUG, write_case
from tests.unit.contain.test_files import open_folder, without_rights

__all__ = ["open_folder"]


@pytest.fixture
def searcher() -> Iterator[Searcher]:
    made = Searcher()
    yield made
    made.close()


def test_cases_come_sorted_with_their_split_and_files(tmp_path: Path, searcher: Searcher) -> None:
    write_case(tmp_path, "py-2", split="train", bugs=[])
    write_case(tmp_path, "py-10")
    write_case(tmp_path, "JS-1", lang="javascript", meta={"class": "cross-file", "kinds": ["review", "locate"]})
    corpus = load_corpus(tmp_path, searcher.search)
    assert list(corpus.cases) == ["JS-1", "py-10", "py-2"]
    assert [case.split for case in corpus.cases.values()] == ["test", "test", "train"]
    assert [case.clean for case in corpus.cases.values()] == [False, False, True]
    assert corpus.cases["JS-1"].meta.class_ == "cross-file"
    assert corpus.cases["JS-1"].folder == str(tmp_path / "JS-1")
    assert (corpus.absent, corpus.warnings) == ((), ())


def test_bugs_without_ids_are_numbered_and_may_not_meet_a_given_number(tmp_path: Path, searcher: Searcher) -> None:
    plain = {"match": "x"}
    home = write_case(tmp_path, "py-1", bugs=[plain, BUG, plain])
    corpus = load_corpus(tmp_path, searcher.search)
    assert [bug.id for bug in corpus.cases["py-1"].truth.bugs] == ["1", "b1", "3"]
    where = f"{home}/ground-truth.json: $.bugs"
    assert corpus.warnings == (f"{where}[0].id: missing, numbered 1", f"{where}[2].id: missing, numbered 3")
    shutil.rmtree(tmp_path / "py-1")
    (tmp_path / "manifest.json").unlink()
    write_case(tmp_path, "py-1", bugs=[{**plain, "id": "2"}, plain])
    with pytest.raises(CorpusError, match=r"\$\.bugs\[1\]\.id: '2' stands twice"):
        load_corpus(tmp_path, searcher.search)


def test_the_regex_is_tried_as_the_matcher_tries_it(tmp_path: Path, searcher: Searcher) -> None:
    write_case(tmp_path, "py-1", bugs=[{**BUG, "match": "^an off by one$", "example": "  An\n\tOFF by  one\n"}])
    assert load_corpus(tmp_path, searcher.search).cases


def test_a_regex_without_an_example_must_compile(tmp_path: Path, searcher: Searcher) -> None:
    write_case(tmp_path, "py-1", bugs=[{"match": "x", "id": "a"}, {"match": "(", "id": "b"}])
    with pytest.raises(CorpusError, match=r"\$\.bugs\[1\]\.match: the regex does not compile"):
        load_corpus(tmp_path, searcher.search)


def test_a_process_that_trusts_another_ones_check_runs_no_regex(tmp_path: Path) -> None:
    write_case(tmp_path, "py-1", bugs=[{"match": "(", "id": "a"}])
    assert load_corpus(tmp_path, None).cases["py-1"].truth.bugs[0].match == "("


def test_unknown_files_and_keys_of_the_truth_are_warnings(tmp_path: Path, searcher: Searcher) -> None:
    home = write_case(tmp_path, "py-1", bugs=[{**BUG, "sevrity": "high"}], meta={"anything": 1})
    (home / "notes.txt").touch()
    (home / "proof.py").touch()
    (tmp_path / "README.md").touch()
    (tmp_path / "old").mkdir()
    assert load_corpus(tmp_path, searcher.search).warnings == (
        f"{home}/ground-truth.json: $.bugs[0].sevrity: unknown key, ignored",
        f"{home}/notes.txt: unknown file, ignored",
        f"{tmp_path}/old: not in the index, ignored",
    )


def test_selection_is_by_split_or_by_exact_id(tmp_path: Path, searcher: Searcher) -> None:
    write_case(tmp_path, "py-1", split="train")
    write_case(tmp_path, "py-10")
    write_case(tmp_path, "py-2")
    shutil.rmtree(tmp_path / "py-2")
    corpus = load_corpus(tmp_path, searcher.search)
    assert [case.id for case in corpus.select("test")] == ["py-10"]
    assert [case.id for case in corpus.select("train")] == ["py-1"]
    assert [case.id for case in corpus.select("all")] == ["py-1", "py-10"]
    assert [case.id for case in corpus.select("test", ["py-10", "py-1"])] == ["py-1", "py-10"]
    assert corpus.absent == ("py-2",)
    with pytest.raises(CorpusError, match="'py-2' has no folder here"):
        corpus.select("test", ["py-2"])
    for wrong in ("py", "PY-1", "py-1/", "", "*"):
        with pytest.raises(CorpusError, match="has no case"):
            corpus.select("test", [wrong])


def test_only_a_bug_whose_fix_is_pinned_has_a_twin(tmp_path: Path) -> None:
    pin = {"version": "1", "filename": "a-1.tgz", "sha256": "0" * 64}
    pins = {"ecosystem": "npm", "package": "a", "buggy": pin, "fixed": pin, "files": ["pkg/a.py"]}
    longest = "a" * 64
    write_case(tmp_path, longest, patch=None, meta={"source": {**pins, "mode": "reverse-fix"}})
    write_case(tmp_path, "b", patch=None, bugs=[], meta={"source": {**pins, "mode": "reverse-fix"}})
    write_case(tmp_path, "c", patch=None, meta={"source": {**pins, "mode": "forward"}})
    write_case(tmp_path, "d")
    corpus = load_corpus(tmp_path, None)
    assert [case.id for case in corpus.select("all", twins=True)] == [longest, f"{longest}.twin", "b", "c", "d"]
    twin = corpus.case(f"{longest}.twin")
    assert (twin.original, twin.twin, twin.is_twin) == (corpus.cases[longest], None, True)
    record = Review(case=twin.id, arm="x", rep=1, status="ok")
    assert codec.decode_own(codec.encode(record), Review, "x") == record
    with pytest.raises(CorpusError, match=r"^--reviewbench-case: d has no fixed twin: "):
        corpus.select("test", ["d.twin"])


def test_the_entries_of_the_index_keep_what_this_program_does_not_know(tmp_path: Path) -> None:
    entries = [{"id": "b", "split": "test", "lang": "x", "deep": {"a": [1]}}, {"id": "a", "split": "train"}]
    (tmp_path / "manifest.json").write_text(json.dumps(entries))
    assert read_index(tmp_path) == entries


def test_an_empty_index_is_an_empty_corpus(tmp_path: Path, searcher: Searcher) -> None:
    (tmp_path / "manifest.json").write_text("[]")
    assert load_corpus(tmp_path, searcher.search).cases == {}


def test_a_case_that_may_not_be_read_is_a_corpus_error(open_folder: Path) -> None:
    for place, name in (("py-1", "f"), ("py-1", "change.patch"), ("py-1", "meta.json")):
        write_case(open_folder / name, place)
    (open_folder / "f" / "py-1").chmod(0)
    (open_folder / "meta.json" / "py-1" / "meta.json").chmod(0)
    with without_rights():
        for name in ("f", "meta.json"):
            with pytest.raises(CorpusError, match=f"{name}.*(cannot be read: Permission denied|missing)"):
                load_corpus(open_folder / name, None)


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "..",
        "/",
        "/a",
        "../a",
        "a/../b",
        "a/..",
        "./a",
        "a//b",
        "a/",
        "a\\b",
        "a\nb",
        "a\0",
        "a" * 1001,
        "\ud800",
    ],
)
def test_unsafe_paths(path: str) -> None:
    assert not safe_path(path)


@pytest.mark.parametrize("path", ["a", "a/b.c", "..a", "a/..b/c", "-x", "größe", "a b", "a" * 1000])
def test_safe_paths(path: str) -> None:
    assert safe_path(path)


def test_what_an_installer_compiles_is_no_oddity(tmp_path: Path) -> None:
    home = write_case(tmp_path / "c", "py-1")
    (home / "__pycache__").mkdir()
    assert load_corpus(tmp_path / "c", None).warnings == ()


def test_a_case_without_a_change_says_why(tmp_path: Path) -> None:
    write_case(tmp_path, "py-1", patch=None, context={}, meta={"no_change": "nobody has the diff"})
    case = load_corpus(tmp_path, None).cases["py-1"]
    assert case.twin is None
    with pytest.raises(NoChange, match="no change to show: nobody has the diff"):
        show(case, None)
    write_case(tmp_path, "py-2", meta={"no_change": "nobody has the diff"})
    with pytest.raises(CorpusError, match=r"py-2/meta.json: \$.no_change: there is a change.patch"):
        load_corpus(tmp_path, None)
