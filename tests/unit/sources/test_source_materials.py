from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.corpus.sources.cache import Cache
from pytest_reviewbench.corpus.sources.materials import Material, materialise, read_material, source_key
from pytest_reviewbench.errors import SourceError
from pytest_reviewbench.model import Source

Publish = Callable[..., Source]
BUGGY = {"package/a.py": b"a()\nb()\nc()\n", "package/b.py": b"1\n"}
FIXED = {"package/a.py": b"a()\n# SECRET\nguard()\nb()\nc()\n", "package/b.py": b"2\n"}


def made(sources: Mapping[str, Source], cache: Cache) -> dict[str, Material]:
    children = Children()
    children.end_all()  # from here on a started process is an error
    return materialise(sources, cache, children, offline=False, timeout=5)


def test_a_reversed_fix_shows_its_code_and_not_its_words(publish: Publish, cache: Cache) -> None:
    for ecosystem in ("npm", "pypi"):
        material = made({"x": publish(buggy=BUGGY, fixed=FIXED, ecosystem=ecosystem)}, cache)["x"]
        assert material.patch.read_bytes() == (
            b"diff --git a/package/a.py b/package/a.py\n--- a/package/a.py\n+++ b/package/a.py\n"
            b"@@ -1,4 +1,3 @@\n a()\n-guard()\n b()\n c()\n"
        )
        assert (material.tree / "package/a.py").read_bytes() == BUGGY["package/a.py"]
        assert (material.tree / "package/b.py").exists()
        assert material.fix_places == {"package/a.py": ((1, 2),)}
        assert material.files == ("package/a.py",)


def test_an_introduction_is_shown_as_it_was_with_the_places_of_its_fix(publish: Publish, cache: Cache) -> None:
    before = {"package/a.py": b"# why\nversion = '1'\na()\n"}
    buggy = {"package/a.py": b"# bad\nversion = '2'\na()\nb()\n"}
    fixed = {"package/a.py": b"# SECRET\nversion = '3'\na()\nok()\n"}
    source = publish(buggy=buggy, fixed=fixed, before=before, mode="intro")
    material = made({"x": source}, cache)["x"]
    lines = material.patch.read_bytes().split(b"\n")[4:]
    assert lines == [b"-# why", b"+# bad", b" version = '2'", b" a()", b"+b()", b""]
    assert material.fix_places == {"package/a.py": ((4, 4),)}


def test_an_upgrade_of_a_clean_control_has_no_places_of_a_fix(publish: Publish, cache: Cache) -> None:
    material = made({"x": publish(buggy=BUGGY, fixed=FIXED, mode="forward")}, cache)["x"]
    assert b"+# SECRET\n+guard()" in material.patch.read_bytes()
    assert (material.tree / "package/a.py").read_bytes() == FIXED["package/a.py"]
    assert material.fix_places is None


def test_a_file_of_one_version_only_is_added_or_removed(publish: Publish, cache: Cache) -> None:
    files = ("new.py", "old.py")
    source = publish(buggy={"new.py": b"n()\n"}, fixed={"old.py": b"# SECRET\no()\n"}, files=files)
    material = made({"x": source}, cache)["x"]
    patch = material.patch.read_bytes()
    assert b"--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+n()\n" in patch
    assert b"--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-o()\n" in patch
    assert material.fix_places == {"new.py": ((1, 1),), "old.py": ()}


def test_a_file_of_neither_version_is_an_error_that_names_it(publish: Publish, cache: Cache) -> None:
    source = publish(buggy=BUGGY, fixed=FIXED, files=("package/a.py", "gone.py"))
    with pytest.raises(SourceError, match=r"^x: the file 'gone.py' is neither in demo 1.0.1 nor in 1.0.0$"):
        made({"x": source}, cache)


def test_a_named_file_cannot_lead_out_of_the_tree(publish: Publish, cache: Cache, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    for file in ("../../../secret", str(tmp_path / "secret"), "package", "a\nb", 'a"b'):
        with pytest.raises(SourceError, match=r"^x: the file"):
            made({"x": publish(buggy=BUGGY, fixed=FIXED, files=(file,))}, cache)


def test_a_change_of_words_alone_shows_nothing(publish: Publish, cache: Cache) -> None:
    fixed = {"package/a.py": b"# SECRET\n" + BUGGY["package/a.py"]}
    sources = {name: publish(buggy=BUGGY, fixed=fixed) for name in ("x", "y", "z")}
    with pytest.raises(SourceError, match=r"^x: the change shows nothing: .* \(2 more cases have a problem\)$"):
        made(sources, cache)


def test_bytes_that_are_no_text_are_shown_as_they_are(publish: Publish, cache: Cache) -> None:
    source = publish(buggy={"x.bin": b"\x00\xff\r\n1"}, fixed={"x.bin": b"\x00\xff\r\n2"}, files=("x.bin",))
    assert b"\n \x00\xff\r\n-2\n\\ No newline" in made({"x": source}, cache)["x"].patch.read_bytes()


def test_workers_read_what_the_controller_left_and_nothing_else(publish: Publish, cache: Cache) -> None:
    source = publish(buggy=BUGGY, fixed=FIXED)
    assert read_material(source, cache) is None
    material = made({"x": source}, cache)["x"]
    assert read_material(source, Cache(cache.root)) == material
    assert pickle.loads(pickle.dumps(material)) == material
    other = publish(buggy=BUGGY, fixed=FIXED, mode="forward")
    assert source_key(other) != source_key(source)
    assert read_material(other, cache) is None


def test_what_was_edited_in_the_cache_is_built_anew(publish: Publish, cache: Cache) -> None:
    source = publish(buggy=BUGGY, fixed=FIXED)
    material = made({"x": source}, cache)["x"]
    wanted = material.patch.read_bytes()
    record = cache.change(source_key(source), ".json")
    for edited in (material.tree / "package/a.py", material.patch, record):
        edited.write_bytes(b"edited\n")
        assert read_material(source, cache) is None
        assert made({"x": source}, cache)["x"] == material
        assert material.patch.read_bytes() == wanted
        assert (material.tree / "package/a.py").read_bytes() == BUGGY["package/a.py"]


def test_a_damaged_artefact_is_never_opened(publish: Publish, cache: Cache) -> None:
    source = publish(buggy=BUGGY, fixed=FIXED)
    cache.artefact(source.buggy.sha256).write_bytes(b"hostile")
    with pytest.raises(SourceError, match=r"^1 artefact is not in the cache .*, first: npm demo@1.0.0; "):
        materialise({"x": source}, cache, Children(), offline=True, timeout=5)
    assert not cache.tree(source.buggy.sha256).exists()


def test_when_everything_is_there_no_lock_is_taken_and_nothing_is_written(publish: Publish, cache: Cache) -> None:
    source = publish(buggy=BUGGY, fixed=FIXED)
    first = made({"x": source}, cache)
    (cache.root / "lock").unlink()
    assert made({"x": source, "y": source}, cache)["y"] == first["x"]
    assert not (cache.root / "lock").exists()


SESSION = """
import os, pickle, signal, sys
from pathlib import Path
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.corpus.sources.cache import Cache
from pytest_reviewbench.corpus.sources.materials import materialise
sources = pickle.loads(Path(sys.argv[2]).read_bytes())
def progress(done, total, what):
    if what == sys.argv[3]:
        os.kill(os.getpid(), signal.SIGKILL)
materialise(sources, Cache(Path(sys.argv[1])), Children(), offline=True, timeout=10, progress=progress)
"""


def session(cache: Cache, sources: Mapping[str, Source], kill_at: str) -> subprocess.Popen[bytes]:
    file = cache.root.parent / "sources"
    file.write_bytes(pickle.dumps(dict(sources)))
    env = {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    return subprocess.Popen([sys.executable, "-c", SESSION, cache.root, file, kill_at], env=env)


def many(publish: Publish) -> dict[str, Source]:
    return {f"case-{n}": publish(buggy=BUGGY, fixed=FIXED | {"package/n.py": b"%d" % n}) for n in range(20)}


def test_sessions_that_start_together_all_get_the_same(publish: Publish, cache: Cache) -> None:
    sources = many(publish)
    running = [session(cache, sources, "never") for _ in range(2)]
    assert [process.wait(30) for process in running] == [0, 0]
    assert len({read.patch for name in sources if (read := read_material(sources[name], cache))}) == 20
    assert not list(cache.root.glob("tmp/*"))


@pytest.mark.parametrize("moment", ["unpacking demo@1.0.1", "case-3"])
def test_a_killed_session_leaves_nothing_half_done(moment: str, publish: Publish, cache: Cache) -> None:
    sources = many(publish)
    assert session(cache, sources, moment).wait(30) == -signal.SIGKILL
    whole = [name for name in sources if read_material(sources[name], cache)]
    assert len(whole) < 20
    assert made(sources, cache).keys() == sources.keys()
