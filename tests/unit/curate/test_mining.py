"""What is taken for a fix, where its bug is said to come from, and that a hostile repository runs nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.curate.mining import Commit, fixed_files, mine
from tests.repositories import Repository

OLD = b"def last(x):\n    return x[-1]\n\n\ndef first(x):\n    return x[0]\n"
BAD = OLD.replace(b"x[-1]", b"x[len(x)]")
GOOD = OLD.replace(b"x[-1]", b"x[len(x) - 1]")


def mined(repository: Repository, tmp_path: Path, limit: int = 10) -> list[dict[str, Any]]:
    folder = tmp_path / "scratch"
    folder.mkdir()
    children = Children()
    try:
        return mine(repository.url, folder, children, since=None, limit=limit, progress=lambda *_: None)
    finally:
        children.close()


def commit(subject: str, **changes: tuple[int, int]) -> Commit:
    return Commit("1" * 40, "2" * 40, "2025-11-03", subject, {k.replace("__", "/"): v for k, v in changes.items()})


@pytest.mark.parametrize(
    ("subject", "wanted"),
    [
        ("Fix width of empty windows", True),
        ("fix: do not read past the end", True),
        ("Windows are wrong when empty (#12)", True),
        ("parser: avoid crash on empty input", True),
        ("Add a window", False),
        ("Fix typo in message", False),
        ("Fix flaky test", False),
        ("docs: fix example", False),
        ("Revert \"Fix width\"", False),
        ("fixup! Fix width", False),
        ("Prefix all names", False),
    ],
)  # fmt: skip
def test_a_message_must_speak_of_a_fix_of_the_code(subject: str, wanted: bool) -> None:
    assert bool(fixed_files(commit(subject, **{"a.py": (1, 1)}))) is wanted


def test_small_changes_of_code_count_whatever_tests_and_notes_change_beside_them() -> None:
    noise = {"tests__test_a.py": (900, 0), "CHANGES.md": (90, 9), "package.json": (1, 1), "LICENSE": (1, 1)}
    assert fixed_files(commit("Fix it", **{"a.py": (20, 20)}, **noise)) == ["a.py"]
    assert fixed_files(commit("Fix it", **{"a.py": (21, 20)})) == []
    assert fixed_files(commit("Fix it", **noise)) == []
    assert fixed_files(commit("Fix it", **{f"{n}.py": (1, 1) for n in range(4)})) == []


def test_the_bug_comes_from_the_commit_that_wrote_the_removed_lines(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "upstream")
    first = repository.commit({"a.py": OLD})
    intro = repository.commit({"a.py": BAD})
    # Whoever moves code about has not written it.
    repository.commit({"a.py": BAD.replace(b"    return x[len", b"      return x[len")})
    fix = repository.commit({"a.py": GOOD}, "Fix last")
    (found,) = mined(repository, tmp_path)
    assert [found[name]["commit"] for name in ("before", "buggy", "fixed")] == [first, intro, fix]
    assert found["notes"]["blamed"] == {"commit": intro, "lines": 1, "of": 1, "intro_diff_lines": 2}


def test_without_such_a_commit_the_fix_itself_is_turned_round(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "upstream")
    repository.commit({"a.py": BAD, "b.py": OLD, "c.py": BAD})
    repository.commit({"c.py": None, "d.py": BAD.replace(b"first", b"second")}, "move")
    in_the_first = repository.commit({"a.py": GOOD}, "Fix what was wrong from the beginning")
    only_added = repository.commit({"b.py": OLD + b"\n\ndef none():\n    return None\n"}, "Fix a missing function")
    moved = repository.commit({"d.py": GOOD.replace(b"first", b"second")}, "Fix a moved function")
    found = mined(repository, tmp_path)
    assert [one["fixed"]["commit"] for one in found] == [moved, only_added, in_the_first]
    assert [one["mode"] for one in found] == ["reverse-fix"] * 3
    assert not [one for one in found if "before" in one]
    assert found[1]["buggy"]["commit"] == in_the_first


def test_the_latest_are_proposed_first_and_no_more_than_asked_for(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "upstream")
    repository.commit({"a.py": b"x = 0\n"})
    fixes = [repository.commit({"a.py": b"x = %d\n" % n}, f"Fix {n}") for n in range(1, 5)]
    assert [one["fixed"]["commit"] for one in mined(repository, tmp_path, limit=2)] == fixes[:1:-1]


def test_nothing_that_a_repository_asks_for_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = tmp_path / "ran"
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {ran}\n")
    evil.chmod(0o755)
    repository = Repository(tmp_path / "upstream")
    repository.commit({".gitattributes": b"*.py diff=evil filter=evil\n", "a.py": OLD})
    repository.commit({"a.py": BAD})
    repository.commit({"a.py": GOOD}, "Fix last")
    hooks = repository.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-checkout", "reference-transaction", "pre-auto-gc", "post-upload-pack"):
        (hooks / hook).write_text(evil.read_text())
        (hooks / hook).chmod(0o755)
    for key in (
        "core.fsmonitor", "core.pager", "core.editor", "diff.external", "diff.evil.textconv", "diff.evil.command",
        "filter.evil.smudge", "filter.evil.clean", "uploadpack.packObjectsHook", "core.sshCommand",
        "core.alternateRefsCommand", "gpg.program", "blame.ignoreRevsFile",
    ):  # fmt: skip
        repository.git("config", key, str(evil))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(evil))
    monkeypatch.setenv("GIT_PAGER", str(evil))
    (found,) = mined(repository, tmp_path)
    assert found["mode"] == "intro"
    assert not ran.exists()


def test_odd_names_and_messages_are_read_as_what_they_are(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "upstream")
    odd = (":(exclude)a.py", "-L1,1.py", "é b.py", "new\nline.py")
    repository.commit(dict.fromkeys(odd, OLD))
    repository.commit(dict.fromkeys(odd, BAD), "x")
    for name in odd:
        repository.commit({name: GOOD}, f"Fix \x1b[31m{name.splitlines()[0]}")
    repository.git("commit", "--allow-empty", "--allow-empty-message", "--message=")
    found = mined(repository, tmp_path)
    assert [one["files"] for one in found] == [[name] for name in (odd[2], odd[1], odd[0])]
    assert {one["mode"] for one in found} == {"intro"}
    assert "\x1b" not in str([one["notes"]["subject"] for one in found])
