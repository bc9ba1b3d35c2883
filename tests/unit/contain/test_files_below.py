"""The files of a folder that nobody trusts, in an order that never changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_reviewbench.contain.files import files_below
from pytest_reviewbench.errors import CorpusError


def test_files_come_sorted_each_folder_after_the_files_beside_it(tmp_path: Path) -> None:
    for path in ("b/z.py", "b/a/x.py", "b.py", "a/y.py", "z.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    assert list(files_below(tmp_path)) == ["b.py", "z.py", "a/y.py", "b/z.py", "b/a/x.py"]


def test_a_folder_that_is_not_there_has_no_files(tmp_path: Path) -> None:
    assert list(files_below(tmp_path / "none")) == []


@pytest.mark.parametrize("target", ["folder", "file.py", "nowhere"])
def test_a_link_is_refused_whatever_it_points_to(tmp_path: Path, target: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file.py").touch()
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "link").symlink_to(tmp_path / target)
    with pytest.raises(CorpusError, match="link: is a link"):
        list(files_below(tmp_path / "below"))
