"""What a case shows: patch, tree, and bugs at their places."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.corpus.shown import MOST_FILES, Shown, show
from pytest_reviewbench.corpus.sources.materials import Material
from pytest_reviewbench.corpus.sources.twin import Twin
from pytest_reviewbench.errors import CorpusError, NoTwin
from tests.samples import BUG, CODE, PATCH, write_case

TWO = PATCH + PATCH.replace("pkg/a.py", "lib/a.py")


def shown(folder: Path, material: Material | None = None, **keys: Any) -> Shown:
    write_case(folder, "py-1", **keys)
    return show(load_corpus(folder, None).cases["py-1"], material)


def paths(tree: Any) -> dict[str, str]:
    return {path: file.read_text() for path, file in tree.items()}


def test_a_case_with_full_paths_shows_its_tree_as_it_lies(tmp_path: Path) -> None:
    found = shown(tmp_path, context={"pkg/a.py": CODE, "pkg/b.py": "b\n", "setup.cfg": ""})
    assert paths(found.tree) == {"pkg/a.py": CODE, "pkg/b.py": "b\n", "setup.cfg": ""}
    assert found.patch_bytes == PATCH.encode()
    assert found.patch.files == {"pkg/a.py"}
    assert found.fix_places is None


def test_flat_context_files_stand_for_the_files_of_the_change(tmp_path: Path) -> None:
    found = shown(tmp_path, context={"a.py": CODE, "other.py": "o\n"})
    assert paths(found.tree) == {"pkg/a.py": CODE, "other.py": "o\n"}


def test_a_flat_file_that_stands_for_two_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"context/a\.py: stands for lib/a\.py and pkg/a\.py; use full paths"):
        shown(tmp_path, patch=TWO, context={"a.py": CODE})


def test_a_file_flat_and_with_its_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"context: pkg/a\.py is there twice"):
        shown(tmp_path, context={"a.py": CODE, "pkg/a.py": CODE})


def test_without_context_only_the_patch_is_known(tmp_path: Path) -> None:
    home = write_case(tmp_path, "py-1")
    shutil.rmtree(home / "context")
    assert show(load_corpus(tmp_path, None).cases["py-1"], None).tree is None


def test_a_bug_without_a_file_is_in_the_only_file_or_nowhere(tmp_path: Path) -> None:
    bug = {**BUG, "file": None}
    assert shown(tmp_path / "one", bugs=[bug]).bugs[0].file == "pkg/a.py"
    assert shown(tmp_path / "two", bugs=[bug], patch=TWO).bugs[0].file is None


def test_a_bug_by_basename_is_in_the_file_of_that_name(tmp_path: Path) -> None:
    assert shown(tmp_path / "one", bugs=[{**BUG, "file": "a.py"}]).bugs[0].file == "pkg/a.py"
    for name, file in (("two", "a.py"), ("none", "b.py"), ("part", "kg/a.py"), ("other", "x/a.py")):
        with pytest.raises(CorpusError, match=r"\$\.bugs\[1\]\.file: the change does not touch"):
            shown(tmp_path / name, bugs=[BUG, {**BUG, "id": "b2", "file": file}], patch=TWO)


def test_a_tree_of_too_many_files_is_an_error_and_one_less_is_not(tmp_path: Path) -> None:
    home = write_case(tmp_path, "py-1")
    for n in range(MOST_FILES - 1):
        (home / "context" / f"{n}.txt").touch()
    case = load_corpus(tmp_path, None).cases["py-1"]
    assert len(show(case, None).tree or ()) == MOST_FILES
    (home / "context" / "more.txt").touch()
    with pytest.raises(CorpusError, match=f"context: more than {MOST_FILES} files"):
        show(case, None)


@pytest.mark.parametrize("path", [".git/config", "sub/.git/config", "sub/.git", ".GIT/hooks/pre-commit"])
def test_a_repository_in_a_tree_is_an_error(tmp_path: Path, path: str) -> None:
    with pytest.raises(CorpusError, match="must not hold a git repository"):
        shown(tmp_path, context={path: "x"})


def test_pinned_code_is_shown_as_it_was_built(tmp_path: Path) -> None:
    (tmp_path / "tree" / "pkg").mkdir(parents=True)
    (tmp_path / "tree" / "pkg" / "a.py").write_text(CODE)
    (tmp_path / "patch").write_text(PATCH)
    material = Material(tmp_path / "patch", tmp_path / "tree", ("pkg/a.py",), {"pkg/a.py": ((2, 2),)})
    pin = {"version": "1", "filename": "a.whl", "sha256": "0" * 64}
    pins = {"ecosystem": "pypi", "package": "a", "buggy": pin, "fixed": pin}
    source = {**pins, "files": ["pkg/a.py"], "mode": "reverse-fix"}
    found = shown(tmp_path / "c", material, patch=None, context={}, meta={"source": source})
    assert paths(found.tree) == {"pkg/a.py": CODE}
    assert found.fix_places == {"pkg/a.py": ((2, 2),)}
    (tmp_path / "patch").write_text("no patch\n")
    with pytest.raises(CorpusError, match=r"meta\.json: \$\.source: the patch built from it: holds no change"):
        show(load_corpus(tmp_path / "c", None).cases["py-1"], material)


def test_a_twin_shows_the_change_without_the_bug_and_keeps_the_truth_that_would_be_false(tmp_path: Path) -> None:
    for name, text in (("buggy", CODE), ("fixed", "# SECRET\n")):
        (tmp_path / name / "pkg").mkdir(parents=True)
        (tmp_path / name / "pkg" / "a.py").write_text(text)
    (tmp_path / "patch").write_text(PATCH)
    (tmp_path / "twin.patch").write_text(PATCH.replace("pkg/a.py", "lib/a.py"))  # it need not touch the bug's file
    (tmp_path / "named").write_text("good\n")
    twin = Twin(tmp_path / "twin.patch", tmp_path / "fixed", {"pkg/a.py": tmp_path / "named"})
    material = Material(tmp_path / "patch", tmp_path / "buggy", ("pkg/a.py",), {"pkg/a.py": ((2, 2),)}, twin)
    pin = {"version": "1", "filename": "a.whl", "sha256": "0" * 64}
    pins = {"ecosystem": "pypi", "package": "a", "buggy": pin, "fixed": pin}
    source = {**pins, "files": ["pkg/a.py"], "mode": "reverse-fix"}
    write_case(tmp_path / "c", "py-1", patch=None, context={}, meta={"source": source})
    case = load_corpus(tmp_path / "c", None).case("py-1.twin")
    found = show(case, material)
    assert paths(found.tree) == {"pkg/a.py": "good\n"}
    assert found.patch.files == {"lib/a.py"}
    assert [bug.file for bug in found.bugs] == ["pkg/a.py"]
    assert found.fix_places is None
    with pytest.raises(NoTwin, match=r"^no twin: why not$"):
        show(case, Material(material.patch, material.tree, material.files, None, no_twin="why not"))
