from __future__ import annotations

from pathlib import Path

import pytest

from pytest_reviewbench.arms.analysers.oxlint import Oxlint, declared
from pytest_reviewbench.arms.analysers.oxlint import unsuppressed as plain_script
from pytest_reviewbench.arms.analysers.pyrefly import literal
from pytest_reviewbench.arms.analysers.ruff import is_python
from pytest_reviewbench.arms.analysers.shellcheck import Shellcheck, dialect
from pytest_reviewbench.arms.analysers.shellcheck import unsuppressed as plain_shell
from pytest_reviewbench.arms.analysers.sources import LIMIT, Source, read_sources, rewrite


def test_what_cannot_be_read_is_named_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "ok.py").write_text("x = 1\n")
    (tmp_path / "latin.py").write_bytes(b'x = "\xe9"\n')
    (tmp_path / "image.py").write_bytes(b"\x00\x01")
    (tmp_path / "big.py").write_bytes(b"#" * (LIMIT + 1))
    (tmp_path / "link.py").symlink_to("ok.py")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "new\nline.py").write_text("x = 1\n")
    names = [place.name for place in tmp_path.iterdir()]
    sources, unread = read_sources(tmp_path, [*names, "gone.py", "../outside.py"])
    assert [source.path for source in sources] == ["ok.py"]
    odd_name = "its name has characters that no path of a change may have"
    assert unread == {
        "../outside.py": odd_name,
        "big.py": "larger than 2,000,000 bytes",
        "folder.py": "not a regular file",
        "gone.py": "not a regular file",
        "image.py": "binary",
        "latin.py": "not UTF-8",
        "link.py": "not a regular file",
        "new\nline.py": odd_name,
    }


def test_rewriting_replaces_a_read_only_file(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("old")
    (tmp_path / "a.sh").chmod(0o444)
    rewrite(tmp_path, {"a.sh": b"new"})
    assert (tmp_path / "a.sh").read_text() == "new"


@pytest.mark.parametrize(
    ("path", "text", "taken"),
    [("a.py", "", True), ("a.PYI", "", True), ("a.pyw", "", True), ("a.ipynb", "{}", False), ("a.txt", "", False),
     ("bin/run", "#!/usr/bin/env python3\n", True), ("bin/run", "#!/bin/sh\n", False), ("bin/run", "", False)],
)  # fmt: skip
def test_python_files(path: str, text: str, taken: bool) -> None:
    assert is_python(Source(path, text.encode())) is taken


@pytest.mark.parametrize(
    ("path", "taken"),
    [("a.js", True), ("a.vue", True), ("[id].tsx", True), ("a.min.js", False), ("a.min.mjs", False),
     ("a.json", False), ("a.coffee", False), ("cli", False)],
)  # fmt: skip
def test_javascript_files(path: str, taken: bool) -> None:
    assert Oxlint().takes(Source(path, b"")) is taken


@pytest.mark.parametrize(
    ("path", "text", "taken", "shell"),
    [
        ("a.sh", "", True, "sh"),
        ("a.sh", "#!/bin/bash\n", True, None),
        ("a.sh", "\ufeff#!/bin/bash\n", True, None),
        ("a.sh", "# shellcheck shell=bash\n", True, None),
        ("lib.bash", "", True, "bash"),
        ("suite.bats", "@test", True, "bash"),
        ("husky", "", True, "sh"),
        (".bashrc", "", True, "bash"),
        (".gitignore", "", False, None),
        ("LICENSE", "", False, None),
        ("makefile", "", False, None),
        ("run", "#!/usr/bin/env -S bash -e\n", True, None),
        ("run", "#!/bin/busybox sh\n", True, None),
        ("run", "#!/bin/zsh\n", False, None),
        ("run", "#!/usr/bin/env node\n", False, None),
        ("a.zsh", "", False, None),
        ("a.fish", "", False, None),
        ("README.md", "", False, None),
    ],
)
def test_shell_files(path: str, text: str, taken: bool, shell: str | None) -> None:
    source = Source(path, text.encode())
    assert Shellcheck().takes(source) is taken
    if taken:
        assert dialect(source) == shell


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# shellcheck disable=SC2086", "# shellchXck disable=SC2086"),
        ("#shellcheck disable=all # why", "#shellchXck disable=all # why"),
        ("#\tshellcheck source=/dev/null", "#\tshellchXck source=/dev/null"),
        ("# shellcheck disable=SC1 shell=bash enable=all", "# shellcheck             shell=bash           "),
        ("# shellcheck shell=dash\r", "# shellcheck shell=dash\r"),
        ("shellcheck disable=SC2086", "shellcheck disable=SC2086"),
    ],
)
def test_comments_that_silence_shellcheck_are_void(before: str, after: str) -> None:
    assert len(after) == len(before)
    assert plain_shell(before.encode()).decode() == after


def test_comments_that_silence_oxlint_are_void() -> None:
    code = b"/* eslint-disable no-undef */\n// OXLINT-disable-next-line\n/* eslint-enable */ x.disable()"
    expected = b"/* eslint-xisable no-undef */\n// OXLINT-xisable-next-line\n/* eslint-enable */ x.disable()"
    assert plain_script(code) == expected


def test_globals_that_a_comment_declares() -> None:
    code = b"/* global a, b:writable */ /*globals $c: true,\n d */ // global e\n/* globalThis f */ /* global */"
    assert declared(code) == {"a", "b", "$c", "d"}


def test_a_file_name_is_no_glob() -> None:
    assert literal("a/[x]*?{y}.py") == "a/[[]x][*][?]{y}.py"
