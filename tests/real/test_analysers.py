"""The real analysers on small buggy code of our own: what they find, and that the code cannot stop them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.answers.normalise import normalise
from pytest_reviewbench.arm_spec import ArmSpec
from pytest_reviewbench.arms.protocol import Answer, Host, NotAttempted, Question
from pytest_reviewbench.arms.tools import ToolsArm, ToolsFamily
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.contain.workspace import open_workspace
from pytest_reviewbench.errors import ReviewFailed

pytestmark = pytest.mark.skipif(
    not all(find_program(name) for name in ("ruff", "pyrefly", "oxlint", "shellcheck")),
    reason="needs the analysers: pip install 'pytest-reviewbench[tools]'",
)

Text = str | bytes

PYTHON = """\
def total(prices, rate):
    if rate:
        tax = sum(prices) * rate
    sum(prices) == 0
    return sum(prices) + tax + shiping
"""
SCRIPT = """\
function same(left, right) {
  if (left.size === right.size || left.size === right.size) return true
  return compareDeep(left, right)
}
module.exports = same
"""
SHELL = """\
#!/bin/sh
target=$1
[ $target == all ] && rm -r $target/*
"""


@pytest.fixture
def arm() -> Iterator[ToolsArm]:
    children = Children()
    yield ToolsFamily().build(ArmSpec("tools", "tools"), Host(children, timeout=60))
    children.end_all()


def answer(
    arm: ToolsArm, folder: Path, lang: str, files: Mapping[str, Text], others: Mapping[str, str] | None = None
) -> Answer:
    """The arm's answer about `files`, in a tree that holds `others` as well, even what is always set aside."""
    origin = {}
    for n, (path, text) in enumerate(files.items()):
        origin[path] = folder / str(n)
        origin[path].write_bytes(text if isinstance(text, bytes) else text.encode())
    with open_workspace(b"", origin) as place:
        assert place.tree is not None
        for path, other in (others or {}).items():
            (place.tree / path).parent.mkdir(parents=True, exist_ok=True)
            (place.tree / path).write_text(other)
        given = arm.answer(Question(lang, tuple(files), place.patch, place.tree, place.home, place.output))
        assert place.root.name not in given.raw + json.dumps(list(given.items))
    return given


def said(given: Answer) -> set[tuple[str, int, str, str]]:
    return {(i["file"], i["line"], f"{i['tool']} {i['rule']}", i["severity"]) for i in given.items}


PYTHON_FOUND = {
    (4, "ruff B015", "high"),
    (5, "ruff F821", "high"),
    (5, "pyrefly unbound-name", "high"),
    (5, "pyrefly unknown-name", "high"),
}
SCRIPT_FOUND = {(2, "oxlint oxc(const-comparisons)", "medium"), (3, "oxlint eslint(no-undef)", "high")}
SHELL_FOUND = {
    (3, "shellcheck SC2086", "medium"),
    (3, "shellcheck SC3014", "medium"),
    (3, "shellcheck SC2115", "medium"),
}


def at(path: str, found: set[tuple[int, str, str]], below: int = 0) -> set[tuple[str, int, str, str]]:
    return {(path, line + below, rule, severity) for line, rule, severity in found}


@pytest.mark.parametrize(
    ("lang", "path", "code", "found"),
    [
        ("python", "pkg/shop.py", PYTHON, PYTHON_FOUND),
        ("javascript", "lib/same.js", SCRIPT, SCRIPT_FOUND),
        ("typescript", "lib/same.ts", SCRIPT, SCRIPT_FOUND),
        ("shell", "bin/clean", SHELL, SHELL_FOUND),
    ],
)
def test_bugs_are_found_with_place_rule_and_severity(
    arm: ToolsArm, tmp_path: Path, lang: str, path: str, code: str, found: set[tuple[int, str, str]]
) -> None:
    given = answer(arm, tmp_path, lang, {path: code})
    assert said(given) == at(path, found)
    assert given.warnings == ()
    assert all(item["text"].startswith(f"{item['tool']} {item['rule']}: ") for item in given.items)
    assert len(normalise(given.items, {path}).findings) == len(found)


@pytest.mark.parametrize(
    ("lang", "path", "code", "found", "hostile"),
    [
        (
            "python", "pkg/shop.py", PYTHON, PYTHON_FOUND,
            {
                "ruff.toml": 'exclude = ["*"]\n[lint]\nselect = []\n',
                ".ruff.toml": 'exclude = ["*"]\n',
                "pyrefly.toml": 'project-excludes = ["**/*"]\n[errors]\nunbound-name = false\n',
                "pyproject.toml": '[tool.pyrefly]\nproject-excludes = ["**/*"]\n[tool.ruff]\nexclude = ["*"]\n',
                "mypy.ini": "[mypy]\nignore_errors = True\n",
                ".gitignore": "*\n",
                ".ignore": "*\n",
            },
        ),
        (
            "javascript", "lib/same.js", SCRIPT, SCRIPT_FOUND,
            {
                ".oxlintrc.json": '{"categories": {"correctness": "off"}, "ignorePatterns": ["**"]}',
                "oxlint.config.ts": "throw 1",
                ".eslintrc.json": '{"rules": {"no-undef": "off"}}',
                "eslint.config.js": "throw 1",
                ".eslintignore": "*\n",
                ".gitignore": "*\n",
                "tsconfig.json": '{"extends": "./gone.json"',
                "package.json": '{"eslintConfig": {"rules": {"no-undef": "off"}}',
            },
        ),
        (
            "shell", "bin/clean.sh", SHELL, SHELL_FOUND,
            {".shellcheckrc": "disable=all\n", "shellcheckrc": "disable=all\n"},
        ),
    ],
)  # fmt: skip
def test_files_of_the_reviewed_code_configure_nothing(
    arm: ToolsArm,
    tmp_path: Path,
    lang: str,
    path: str,
    code: str,
    found: set[tuple[int, str, str]],
    hostile: Mapping[str, str],
) -> None:
    beside = {f"{Path(path).parent}/{name}": text for name, text in hostile.items()}
    assert said(answer(arm, tmp_path, lang, {path: code}, {**hostile, **beside})) == at(path, found)


PYTHON_SILENCED = """\
# ruff: noqa
# flake8: noqa
# type: ignore
# pyrefly: ignore-errors
# mypy: ignore-errors
# pyright: ignore
# pyre-ignore-all-errors
"""
SCRIPT_SILENCED = """\
/* eslint-disable */
/* oxlint-disable */
/* eslint no-undef: 0 */
"""
SHELL_SILENCED = """\
#!/bin/sh
# shellcheck disable=all
# shellcheck disable=SC2086,SC3014 shell=sh
"""


@pytest.mark.parametrize(
    ("lang", "path", "head", "code", "found"),
    [
        ("python", "a.py", PYTHON_SILENCED, PYTHON, PYTHON_FOUND),
        ("javascript", "a.js", SCRIPT_SILENCED, SCRIPT, SCRIPT_FOUND),
        ("shell", "a.sh", SHELL_SILENCED, SHELL, SHELL_FOUND),
    ],
)  # fmt: skip
def test_comments_in_the_reviewed_code_silence_nothing(
    arm: ToolsArm, tmp_path: Path, lang: str, path: str, head: str, code: str, found: set[tuple[int, str, str]]
) -> None:
    given = answer(arm, tmp_path, lang, {path: head + code})
    assert at(path, found, head.count("\n")) <= said(given)


def test_comments_at_the_line_silence_nothing(arm: ToolsArm, tmp_path: Path) -> None:
    python = "".join(f"{line}  # noqa # type: ignore # pyrefly: ignore\n" for line in PYTHON.splitlines())
    assert said(answer(arm, tmp_path, "python", {"a.py": python})) == at("a.py", PYTHON_FOUND)
    script = "".join(f"{line} // eslint-disable-line\n" for line in SCRIPT.splitlines())
    assert said(answer(arm, tmp_path, "javascript", {"a.js": script})) == at("a.js", SCRIPT_FOUND)


ODD_NAMES = ("-dash", "two words", "[id]", "st*r", "wh?t", "{a,b}", "!not", "#x", "$HOME", "@file", "ünï", "a/-b/c")


@pytest.mark.parametrize(
    ("lang", "suffix", "code", "found"),
    [
        ("python", ".py", PYTHON, PYTHON_FOUND),
        ("javascript", ".js", SCRIPT, SCRIPT_FOUND),
        ("shell", ".sh", SHELL, SHELL_FOUND),
    ],
)
def test_a_file_name_is_only_a_name(
    arm: ToolsArm, tmp_path: Path, lang: str, suffix: str, code: str, found: set[tuple[int, str, str]]
) -> None:
    names = [name + suffix for name in ODD_NAMES]
    given = answer(arm, tmp_path, lang, dict.fromkeys(names, code), {"st_r" + suffix: code, "i" + suffix: code})
    assert said(given) == set().union(*(at(name, found) for name in names))
    assert given.warnings == ()


def test_a_hidden_module_is_half_reviewed_and_that_is_said(arm: ToolsArm, tmp_path: Path) -> None:
    given = answer(arm, tmp_path, "python", {".shop.py": PYTHON})
    assert {item["tool"] for item in given.items} == {"ruff"}
    assert given.warnings == ("not reviewed: .shop.py: pyrefly: it skips hidden files",)


def test_the_same_code_gets_the_same_answer(arm: ToolsArm, tmp_path: Path) -> None:
    files = {f"m{n}.py": PYTHON for n in range(20)}
    first, second = (answer(arm, tmp_path, "python", files) for _ in range(2))
    assert (first.items, first.raw) == (second.items, second.raw)


@pytest.mark.parametrize(
    ("lang", "path", "code", "reason"),
    [
        ("python", "a.py", b"x = '\xe9'\n", "a.py: not UTF-8"),
        ("python", "a.ipynb", b"{}", "a.ipynb: no analyser for python takes it"),
        ("javascript", "a.min.js", b"f()", "a.min.js: no analyser for javascript takes it"),
        ("shell", "a.sh", b"#!/bin/zsh\necho $x\n", "a.sh: shellcheck: not a dialect that"),
        ("shell", "a.sh", b"#!/usr/bin/env node\nf()\n", "not a dialect"),
    ],
)
def test_a_file_that_cannot_be_analysed_is_no_clean_file(
    arm: ToolsArm, tmp_path: Path, lang: str, path: str, code: bytes, reason: str
) -> None:
    with pytest.raises(NotAttempted) as refused:
        answer(arm, tmp_path, lang, {path: code})
    assert reason in str(refused.value)


def test_code_that_does_not_parse_is_a_finding(arm: ToolsArm, tmp_path: Path) -> None:
    cases: list[tuple[str, str, str, set[Any]]] = [
        ("python", "a.py", "def f(:\n", {"ruff invalid-syntax", "pyrefly parse-error"}),
        ("javascript", "a.js", "f(\n", {"oxlint parse-error"}),
        ("shell", "a.sh", "if true; then\n", {"shellcheck SC1073"}),
    ]
    for lang, path, code, rules in cases:
        found = said(answer(arm, tmp_path, lang, {path: code}))
        assert rules <= {rule for _, _, rule, severity in found if severity == "high"}


def test_the_time_limit_holds(tmp_path: Path) -> None:
    arm = ToolsFamily().build(ArmSpec("tools", "tools"), Host(Children(), timeout=0.001))
    with pytest.raises(ReviewFailed) as failed:
        answer(arm, tmp_path, "shell", {"a.sh": SHELL * 2000})
    assert failed.value.kind == "timeout"


def test_versions_are_those_of_the_programs(arm: ToolsArm) -> None:
    assert all(version and version[0].isdigit() for version in arm.versions.values())
