"""Reading untrusted files: bounded, regular, and never through a link."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_reviewbench.contain.files import files_below, read_bounded
from pytest_reviewbench.errors import CorpusError


@contextlib.contextmanager
def without_rights() -> Iterator[None]:
    """Nobody's rights, also where the tests run as root."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter (that of pytest is the user's alone)."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("size", [0, 1, 9, 10])
def test_a_file_within_the_limit_is_read_whole(tmp_path: Path, size: int) -> None:
    (tmp_path / "f").write_bytes(b"x" * size)
    assert read_bounded(tmp_path / "f", 10) == b"x" * size
    assert read_bounded(str(tmp_path / "f"), 10) == b"x" * size


def test_a_file_beyond_the_limit_is_refused_with_both_numbers_and_not_read(tmp_path: Path) -> None:
    with open(tmp_path / "f", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(CorpusError, match=r"f: larger than 1,000 bytes \(1,099,511,627,776\)"):
        read_bounded(tmp_path / "f", 1000)


def test_a_link_is_refused_also_to_a_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    (tmp_path / "link").symlink_to("f")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    for name in ("link", "dangling", "loop"):
        with pytest.raises(CorpusError, match=f"{name}: is a link"):
            read_bounded(tmp_path / name, 10)


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    for place in (tmp_path / "fifo", tmp_path / "folder", Path("/dev/zero"), Path("/dev/null")):
        with pytest.raises(CorpusError, match="is not a regular file"):
            read_bounded(place, 10)


def test_a_socket_or_a_missing_file_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("s")
        for name in ("s", "missing", "a" * 300):
            with pytest.raises(CorpusError, match="cannot be read"):
                read_bounded(Path(name), 10)


def test_a_file_that_fails_while_it_is_read_is_a_corpus_error() -> None:
    memory = Path("/proc/self/mem")  # regular by its mode; its first page cannot be read
    place = memory if memory.exists() else Path("/nowhere")
    with pytest.raises(CorpusError, match="cannot be read"):
        read_bounded(place, 10)


def test_a_file_without_rights_is_a_corpus_error(open_folder: Path) -> None:
    (open_folder / "f").write_text("x")
    (open_folder / "f").chmod(0)
    (open_folder / "d").mkdir(mode=0)
    with without_rights():
        with pytest.raises(CorpusError, match="f: cannot be read: Permission denied"):
            read_bounded(open_folder / "f", 10)
        with pytest.raises(CorpusError, match="d/: cannot be read: Permission denied"):
            list(files_below(open_folder))


def test_refusals_leave_no_descriptor_open(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "big").write_text("x" * 20)
    before = len(list(Path("/dev/fd").iterdir()))
    for _ in range(50):
        for place in (tmp_path, tmp_path / "fifo", tmp_path / "big", Path("/dev/zero"), tmp_path / "none"):
            with pytest.raises(CorpusError):
                read_bounded(place, 10)
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_all_files_below_a_folder_come_in_order(tmp_path: Path) -> None:
    for path in ("b.txt", "a/z.txt", "a/b/c.txt", "c/x", "a.txt"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    (tmp_path / "empty").mkdir()
    assert list(files_below(tmp_path)) == ["a.txt", "b.txt", "a/z.txt", "a/b/c.txt", "c/x"]


def test_a_folder_that_is_not_there_has_no_files(tmp_path: Path) -> None:
    assert list(files_below(tmp_path / "none")) == []


@pytest.mark.parametrize("target", ["/", "..", "nowhere", "f"])
def test_a_link_among_the_files_is_refused(tmp_path: Path, target: str) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "f").touch()
    (tmp_path / "a" / "link").symlink_to(target)
    with pytest.raises(CorpusError, match="a/link: is a link"):
        list(files_below(tmp_path))
