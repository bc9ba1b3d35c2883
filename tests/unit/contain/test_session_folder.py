"""The folder of one process's workspaces: gone at the end, and at the latest at the next start."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytest_reviewbench.contain.session_folder import SessionFolder, remove

KILLED = """
import os, sys
from pathlib import Path
from pytest_reviewbench.contain.session_folder import SessionFolder
folder = SessionFolder(Path(sys.argv[1]))
(folder.path / "left").mkdir()
(folder.path / "left" / "behind").write_text("x")
print(folder.path, flush=True)
os.kill(os.getpid(), 9)
"""


def test_it_is_made_at_first_need_and_gone_with_all_in_it_after_close(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "w")
    assert not (tmp_path / "w").exists()
    path = folder.path
    assert path == folder.path
    (path / "deep" / "er").mkdir(parents=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o700
    folder.close()
    folder.close()
    assert not (tmp_path / "w").exists()


def test_what_a_killed_process_left_is_gone_at_the_next_start_and_only_that(
    tmp_path: Path,
) -> None:
    living = SessionFolder(tmp_path / "w")
    (living.path / "kept").touch()
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "w")], check=False, capture_output=True, text=True
    )
    assert done.returncode == -signal.SIGKILL
    dead = Path(done.stdout.strip())
    assert (dead / "left" / "behind").exists()
    later = SessionFolder(tmp_path / "w")
    assert later.path.is_dir()
    assert not dead.exists()
    assert (living.path / "kept").exists()
    living.close()
    later.close()
    assert not (tmp_path / "w").exists()


def test_a_parent_that_is_not_ours_alone_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o777)
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("open", "link"):
        folder = SessionFolder(tmp_path / name)
        assert not folder.path.is_relative_to(tmp_path)
        folder.close()


def test_many_that_begin_and_end_at_once_disturb_nobody(tmp_path: Path) -> None:
    def live(_: int) -> None:
        folder = SessionFolder(tmp_path / "w")
        (folder.path / "x").touch()
        assert (folder.path / "x").exists()
        folder.close()

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(live, range(300)))
    assert not (tmp_path / "w").exists()


@pytest.mark.parametrize("mode", [0o000, 0o500])
def test_a_folder_whose_rights_were_taken_away_is_removed_all_the_same(mode: int) -> None:
    place = Path(tempfile.mkdtemp(prefix="rights"))  # below no folder of this user alone
    inner = place / "ws" / "a" / "b"
    inner.mkdir(parents=True)
    (place / "outside").mkdir()
    (inner / "file").touch()
    (inner / "link").symlink_to(place / "outside")
    for folder in (inner, inner.parent):
        folder.chmod(mode)
    as_nobody(place, lambda: remove(place / "ws"))
    assert not (place / "ws").exists()
    assert (place / "outside").exists()
    remove(place)


def as_nobody(place: Path, act: Callable[[], None]) -> None:
    """Do it without root's right to go everywhere."""
    if os.geteuid() != 0:
        act()
        return
    for path in (place, *place.rglob("*")):
        os.chown(path, 65534, 65534, follow_symlinks=False)
    child = os.fork()
    if child == 0:
        try:
            os.setresuid(65534, 65534, 65534)
            act()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
