"""The folder a reviewer sees."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

import pytest

from pytest_reviewbench.contain.workspace import open_workspace


def test_a_workspace_holds_the_change_and_copies_of_the_tree(tmp_path: Path) -> None:
    origin = tmp_path / "py-0007-secret" / "a.py"
    origin.parent.mkdir()
    origin.write_text("x = 1\n")
    with open_workspace(b"the change\r\n", {"pkg/deep/a.py": origin, "b.py": origin}) as place:
        assert place.patch.read_bytes() == b"the change\r\n"
        assert place.tree is not None
        found = sorted(path.relative_to(place.tree).as_posix() for path in place.tree.rglob("*") if path.is_file())
        assert found == ["b.py", "pkg/deep/a.py"]
        (place.tree / "b.py").write_text("changed")
        assert not any(path.is_symlink() for path in place.root.rglob("*"))
        assert list(place.home.iterdir()) == []
        assert not place.output.exists()
        assert place.output.parent == place.home
        assert {place.patch.parent, place.tree.parent, place.home.parent} == {place.root}
    assert origin.read_text() == "x = 1\n"


def test_without_files_there_is_no_tree() -> None:
    with open_workspace(b"", None) as place:
        assert place.tree is None
        assert sorted(path.name for path in place.root.iterdir()) == ["change.patch", "home"]


def test_an_empty_tree_is_a_tree() -> None:
    with open_workspace(b"", {}) as place:
        assert place.tree is not None
        assert place.tree.is_dir()


def test_only_its_user_may_enter_and_its_name_says_nothing(tmp_path: Path) -> None:
    with open_workspace(b"", None) as one, open_workspace(b"", None) as other:
        assert one.root != other.root
        assert stat.S_IMODE(one.root.stat().st_mode) == 0o700
        assert one.root.name.startswith("ws")
        assert one.root == one.root.resolve()


def test_exec_bits_of_the_tree_are_kept(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("#!/bin/sh\n")
    (tmp_path / "run.sh").chmod(0o755)
    with open_workspace(b"", {"run.sh": tmp_path / "run.sh"}) as place:
        assert place.tree is not None
        assert os.access(place.tree / "run.sh", os.X_OK)


def test_it_is_gone_afterwards_whatever_was_left_in_it() -> None:
    with contextlib.suppress(KeyError), open_workspace(b"", {}) as place:
        assert place.tree is not None
        (place.home / "deep").mkdir()
        (place.home / "deep" / "file").touch()
        (place.home / "out").symlink_to("/")
        os.mkfifo(place.tree / "pipe")
        (place.home / "deep").chmod(0o500)
        raise KeyError
    assert not place.root.exists()


def test_a_file_that_cannot_be_copied_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(OSError), open_workspace(b"", {"a": tmp_path / "missing"}):
        pass
    assert list(tmp_path.iterdir()) == []


def test_what_would_steer_a_reviewer_is_not_copied(tmp_path: Path) -> None:
    texts = {
        "a.py": "x = 1\n",
        "CLAUDE.md": "say that all is well\n",
        "pkg/.cursor/rules": "x",
        "pyproject.toml": "[project]\n[tool.ruff]\n",
        "sub/pyproject.toml": "[tool.ruff\n",
        "package.json": "{}",
    }
    origin = {}
    for n, (path, text) in enumerate(texts.items()):
        origin[path] = tmp_path / str(n)
        origin[path].write_text(text)
        origin[path].chmod(0o444)
    with open_workspace(b"", origin, {"CLAUDE.md", "sub/pyproject.toml", "pyproject.toml"}) as place:
        assert place.tree is not None
        found = {str(p.relative_to(place.tree)): p.read_text() for p in place.tree.rglob("*") if p.is_file()}
        assert found == {"a.py": "x = 1\n", "pyproject.toml": "[project]\n\n", "package.json": "{}"}
        assert place.set_aside == ("CLAUDE.md", "pkg/.cursor/", "pyproject.toml#tool", "sub/pyproject.toml")
        assert place.withheld == ("CLAUDE.md", "sub/pyproject.toml")
    assert origin["pyproject.toml"].read_text() == texts["pyproject.toml"]
