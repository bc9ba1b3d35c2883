from __future__ import annotations

import fcntl
import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_reviewbench.corpus.sources.cache import Cache, default_cache_root
from pytest_reviewbench.errors import SourceError


@pytest.mark.parametrize(
    ("environ", "root"),
    [
        ({"REVIEWBENCH_CACHE": "/c", "XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/c"),
        ({"REVIEWBENCH_CACHE": "", "XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/pytest-reviewbench"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, "/h/.cache/pytest-reviewbench"),
        ({"HOME": "/h"}, "/h/.cache/pytest-reviewbench"),
    ],
)
def test_the_cache_is_where_its_variables_say(environ: dict[str, str], root: str) -> None:
    assert default_cache_root(environ) == Path(root)


def test_a_relative_cache_is_made_absolute() -> None:
    assert default_cache_root({"REVIEWBENCH_CACHE": "c"}) == Path.cwd() / "c"
    assert Cache(Path("c")).root == Path.cwd() / "c"


def test_an_edited_artefact_is_not_intact(cache: Cache) -> None:
    sha256 = hashlib.sha256(b"1").hexdigest()
    with cache.locked(1), cache.scratch() as folder:
        (folder / "x").write_bytes(b"1")
        cache.keep_artefact(folder / "x", sha256)
    assert cache.intact(sha256)
    cache.artefact(sha256).write_bytes(b"2")
    assert not cache.intact(sha256)
    assert not cache.intact("0" * 64)


def test_what_a_killed_session_left_is_swept_by_the_next(cache: Cache) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path\n"
        "from pytest_reviewbench.corpus.sources.cache import Cache\n"
        "cache = Cache(Path(sys.argv[1]))\n"
        "with cache.locked(1), cache.scratch() as folder:\n"
        "    (folder / 'half').write_text('x'); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, cache.root], env=with_path(), check=False)
    assert done.returncode == -signal.SIGKILL
    assert list((cache.root / "tmp").glob("*/half"))
    with cache.locked(wait=0):
        assert not (cache.root / "tmp").exists()


def test_a_lock_that_another_session_keeps_is_one_clear_error(cache: Cache) -> None:
    cache.root.mkdir()
    with (cache.root / "lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(SourceError, match="in use by another session"), cache.locked(wait=0.1):
            pass
    with cache.locked(wait=0):
        pass


def test_a_replaced_tree_holds_nothing_of_the_old_one(cache: Cache) -> None:
    with cache.locked(1):
        for name in ("old", "new"):
            with cache.scratch() as folder:
                (folder / "tree").mkdir()
                (folder / "tree" / name).write_text("x")
                cache.keep_tree(folder / "tree", "s")
    assert [path.name for path in cache.tree("s").iterdir()] == ["new"]


def test_a_cache_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(SourceError, match=r"cannot be used: .*set REVIEWBENCH_CACHE"),
        Cache(tmp_path / "file" / "cache").locked(1),
    ):
        pass


def with_path() -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
