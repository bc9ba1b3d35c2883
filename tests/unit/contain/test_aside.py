"""Which files of a reviewed tree would steer a reviewer."""

from __future__ import annotations

import fnmatch
import time

import pytest

from pytest_reviewbench.contain.aside import MOST_LISTED, STEERING, capped, decide, is_source, steering_place

NAMES = [name for names in STEERING.values() for name in names]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("around", ["{}", "deep/er/{}", "{}/inside/x.py", "deep/{}/x"])
def test_every_name_of_the_table_steers_at_any_depth_as_a_file_and_as_a_folder(name: str, around: str) -> None:
    example = name.replace("y*ml", "yaml").replace("*", "x")
    path = around.format(example)
    assert steering_place(path)
    assert steering_place(path.upper())
    assert decide([path], ()).kept == ()


def test_the_table_is_sorted_out() -> None:
    assert len(NAMES) == len(set(NAMES))
    assert [name for name in NAMES if name != name.casefold()] == []
    doubled = [n for n in NAMES for p in NAMES if p != n and "*" in p and fnmatch.fnmatchcase(n, p)]
    assert doubled == []


@pytest.mark.parametrize(
    "path",
    [
        "src/claude.py", "docs/agents.rst", "CLAUDE.mdx", "notes/CLAUDE.md.txt", "environment.py",
        "env", "src/env.ts",
        ".environment", "README.md", ".github/workflows/ci.yml", ".github/CODEOWNERS", "instructions/a.md",
        "copilot-instructions.md", "tsconfig.json", "Makefile", "Dockerfile", ".gitignore", "requirements.txt",
        "src/ruff_toml.py", "lib/eslint.js", "mypy.ini.py", "husky.sh", "package/sh/husky.sh", "conftest.py",
        "setup.py",
        "pyproject.toml", "setup.cfg", "package.json", "x.editorconfig", "src/continue/a.py", "rules", "claude",
    ],
)  # fmt: skip
def test_ordinary_files_do_not_steer(path: str) -> None:
    assert steering_place(path) is None
    assert decide([path], ()).kept == (path,)


def test_a_folder_is_listed_once_and_outermost() -> None:
    tree = [f".claude/commands/{n}.md" for n in range(2_000)] + ["pkg/.claude/CLAUDE.md", "pkg/a.py", "AGENTS.md"]
    decision = decide(tree, ())
    assert decision.kept == ("pkg/a.py",)
    assert decision.listed == (".claude/", "AGENTS.md", "pkg/.claude/")
    assert decision.withheld == ()


def test_of_the_change_itself_only_source_code_stays() -> None:
    tree = [".claude/hooks/check.py", ".claude/settings.json", "eslint.config.js", ".eslintrc.js", ".env", "a.py"]
    decision = decide(tree, {".claude/hooks/check.py", ".claude/settings.json", "eslint.config.js", ".env"})
    assert decision.kept == (".claude/hooks/check.py", "eslint.config.js", "a.py")
    assert decision.withheld == (".claude/settings.json", ".env")
    assert decision.listed == (".claude/", ".env", ".eslintrc.js")


def test_what_is_source_code_is_said_by_its_extension() -> None:
    assert [is_source(path) for path in ("a.py", "x/.b.JS", ".env.sh", ".py", "py", ".env", "a.json")] == [
        True, True, True, False, False, False, False,
    ]  # fmt: skip


def test_a_hostile_number_of_places_is_listed_in_part() -> None:
    listed = capped([f"{n:04}/CLAUDE.md" for n in range(5_000)])
    assert len(listed) == MOST_LISTED + 1
    assert listed[-1] == f"... and {5_000 - MOST_LISTED} more"


def test_a_large_tree_is_decided_in_no_time() -> None:
    tree = [f"src/{n % 50}/pkg{n}/mod{n}/file{n}.py" for n in range(5_000)]
    start = time.process_time()
    assert len(decide(tree, ()).kept) == 5_000
    assert time.process_time() - start < 2
