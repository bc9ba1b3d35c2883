"""The same change without the bug, and without a word by which it could be told."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.corpus.sources.cache import Cache
from pytest_reviewbench.corpus.sources.materials import Material, materialise, read_material, source_key
from pytest_reviewbench.corpus.sources.twin import twin_tree
from pytest_reviewbench.model import Source

Publish = Callable[..., Source]
FILE = "package/a.py"
BUGGY = b"# what it does\nversion = '1.0'\na()\nb()\n"
FIXED = b"# SECRET rewritten\nversion = '1.1'\na()\n# SECRET: guard first\nguard()  # SECRET\nb()\n"


def made(source: Source, cache: Cache) -> Material:
    children = Children()
    children.end_all()  # from here on a started process is an error
    return materialise({"x": source}, cache, children, offline=False, timeout=5)["x"]


def shown(material: Material) -> tuple[list[bytes], Mapping[str, bytes | None]]:
    """The changed lines of the twin's patch, and the named files as it leaves them."""
    assert material.twin is not None
    lines = [line for line in material.twin.patch.read_bytes().split(b"\n") if line[:1] in b"+-" and line]
    named = {path: None if file is None else file.read_bytes() for path, file in material.twin.named.items()}
    return [line for line in lines if line[:3] not in (b"+++", b"---")], named


def test_the_twin_of_a_reversed_fix_is_the_same_change_turned_round(publish: Publish, cache: Cache) -> None:
    material = made(publish(buggy={FILE: BUGGY}, fixed={FILE: FIXED}), cache)
    lines, named = shown(material)
    assert lines == [b"+guard()"]
    assert named == {FILE: b"# what it does\nversion = '1.0'\na()\nguard()\nb()\n"}
    shown_of_case = material.patch.read_bytes().split(b"\n")
    assert [line for line in shown_of_case if line[:1] == b"-" and line[:3] != b"---"] == [b"-guard()"]


def test_the_twin_of_an_introduction_goes_from_before_to_fixed_in_its_words(publish: Publish, cache: Cache) -> None:
    before = b"# what it did\nversion = '0.9'\na()\n"
    material = made(publish(buggy={FILE: BUGGY}, fixed={FILE: FIXED}, before={FILE: before}, mode="intro"), cache)
    lines, named = shown(material)
    assert lines == [b"-# what it did", b"+# what it does", b"+guard()", b"+b()"]
    assert named == {FILE: b"# what it does\nversion = '1.0'\na()\nguard()\nb()\n"}


def test_beside_the_change_code_is_the_fixed_versions_and_all_else_as_it_was(
    publish: Publish, cache: Cache
) -> None:
    common = {"package/same.py": b"1\n", FILE: BUGGY}
    buggy = {
        **common,
        "package/helper.py": b"old\n",
        "package/gone.js": b"gone\n",
        "package/run": b"#!/bin/sh\nold\n",
        "package/CHANGES.md": b"# 1.0\n",
        "package/package.json": b'{"version": "1.0"}\n',
    }
    fixed = {
        **common,
        FILE: FIXED,
        "package/helper.py": b"new\n",
        "package/more.py": b"more\n",
        "package/run": b"#!/bin/sh\nnew\n",
        "package/CHANGES.md": b"# 1.1\nSECRET\n",
        "package/SECURITY.md": b"SECRET\n",
        "package/package.json": b'{"version": "1.1"}\n',
        "package/setup.cfg": b"version = 1.1\n",
    }
    source = publish(buggy=buggy, fixed=fixed)
    twin = made(source, cache).twin
    assert twin is not None
    trees = [
        {str(file.relative_to(tree)): file for file in tree.rglob("*") if file.is_file()}
        for tree in (cache.tree(source.buggy.sha256), twin.tree)
    ]
    found = {path: file.read_bytes() for path, file in twin_tree(twin, *trees).items()}
    assert found == {
        FILE: b"# what it does\nversion = '1.0'\na()\nguard()\nb()\n",
        "package/same.py": b"1\n",
        "package/helper.py": b"new\n",
        "package/more.py": b"more\n",
        "package/run": b"#!/bin/sh\nnew\n",
        "package/CHANGES.md": b"# 1.0\n",
        "package/package.json": b'{"version": "1.0"}\n',
    }


def test_files_that_only_one_version_has_come_and_go(publish: Publish, cache: Cache) -> None:
    source = publish(buggy={"new.py": b"n()\n"}, fixed={"old.py": b"# SECRET\no()\n"}, files=("new.py", "old.py"))
    _, named = shown(made(source, cache))
    assert named == {"new.py": None, "old.py": b"o()\n"}


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"mode": "forward"}, "its change is not that of a bug"),
        ({"mode": "intro", "before": {FILE: FIXED}}, "without its bug the change shows nothing"),
        (
            {"fixed": {FILE: b"class E(Exception):\n    'SECRET'\n" + BUGGY}},
            "package/a.py of the fixed version is no code without its docstrings",
        ),
    ],
    ids=["a control", "taken back", "docstrings"],
)
def test_what_has_no_twin_says_why(publish: Publish, cache: Cache, keys: dict[str, object], why: str) -> None:
    material = made(publish(**{"buggy": {FILE: BUGGY}, "fixed": {FILE: FIXED}, **keys}), cache)
    assert (material.twin, material.no_twin) == (None, why)
    assert material.patch.exists()


def test_an_edited_twin_is_built_anew(publish: Publish, cache: Cache) -> None:
    source = publish(buggy={FILE: BUGGY}, fixed={FILE: FIXED})
    material = made(source, cache)
    wanted = shown(material)
    for suffix in (".twin.patch", ".twin.0"):
        cache.change(source_key(source), suffix).write_bytes(b"edited\n")
        assert read_material(source, cache) is None
        assert made(source, cache) == material
        assert shown(material) == wanted
