"""The arm `tools` with programs of ours in the place of the analysers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from pytest_reviewbench.arm_spec import ArmSpec
from pytest_reviewbench.arms import tools
from pytest_reviewbench.arms.protocol import Host, NotAttempted, Question
from pytest_reviewbench.arms.tools import ToolsArm, ToolsFamily
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.errors import ReviewFailed, SettingsError

NOTHING = {
    "ruff": "printf '[]'",
    "pyrefly": """printf '{"errors": []}'""",
    "oxlint": """printf '{"diagnostics": [], "number_of_files": 1}'""",
    "shellcheck": """printf '{"comments": []}'""",
}

Install = Callable[[Mapping[str, str]], None]
Ask = Callable[..., Question]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """`install({name: body of a shell script})`: the only programs that can be found from now on."""

    def programs(bodies: Mapping[str, str]) -> None:
        folder = tmp_path / "bin"
        folder.mkdir()
        for name, body in bodies.items():
            (folder / name).write_text(f"#!/bin/sh\n{body}\n")
            (folder / name).chmod(0o755)
        monkeypatch.setattr(tools, "find_program", lambda name: str(folder / name) if name in bodies else None)

    return programs


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """`ask(lang, {path: text}, ...)`: a question about these files."""

    def question(lang: str, files: Mapping[str, str | bytes], *, tree: bool = True) -> Question:
        root = tmp_path / "place"
        (root / "home").mkdir(parents=True)
        for path, text in files.items():
            (root / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
            (root / "tree" / path).write_bytes(text if isinstance(text, bytes) else text.encode())
        (root / "tree").mkdir(exist_ok=True)
        return Question(
            lang=lang,
            files=tuple(files),
            patch=root / "change.patch",
            tree=root / "tree" if tree else None,
            home=root / "home",
            output=root / "home" / "answer.json",
        )

    return question


@pytest.fixture
def host() -> Iterator[Host]:
    children = Children()
    yield Host(children, timeout=20)
    children.end_all()


def build(host: Host, lang: tuple[str, ...] | None = None) -> ToolsArm:
    return ToolsFamily().build(ArmSpec("tools", "tools", lang=lang), host)


def test_only_changed_lines_count_unless_asked_otherwise(host: Host) -> None:
    assert build(host).scope == "hunks"
    assert ToolsFamily().build(ArmSpec("wide", "tools", scope="file"), host).scope == "file"


def test_a_language_that_no_analyser_knows_is_refused_when_it_is_configured(host: Host) -> None:
    with pytest.raises(SettingsError, match=r"arms\.tools\] lang: no analyser for 'cobol'; known: "):
        build(host, lang=("python", "cobol"))


def test_a_clean_answer_costs_nothing(install: Install, ask: Ask, host: Host) -> None:
    install(NOTHING)
    answer = build(host).answer(ask("python", {"a.py": "x = 1\n"}))
    assert (answer.items, answer.warnings, answer.unparsable) == ([], (), None)
    assert (answer.cost_usd, answer.cost_source) == (0.0, "none")
    assert json.loads(answer.raw).keys() == {"ruff", "pyrefly"}


@pytest.mark.parametrize(
    ("lang", "programs", "files", "reason"),
    [
        ("cobol", NOTHING, {"a.cob": ""}, "no analyser for cobol"),
        ("python", {}, {"a.py": ""},
         "no analyser for python is installed (ruff, pyrefly): pip install 'pytest-reviewbench[tools]'"),
        ("python", NOTHING, {}, "no changed file can be analysed: none is in the tree as the change leaves it"),
        ("python", NOTHING, {"a.py": b"\xff", "b.md": "", "c.md": ""},
         "no changed file can be analysed: b.md, c.md: no analyser for python takes it; a.py: not UTF-8"),
        ("javascript", {"oxlint": """printf 'None.\\n{"diagnostics": [], "number_of_files": 0}'; exit 1"""},
         {"a.js": ""}, "no changed file can be analysed: a.js: oxlint: it does not take it for a file to lint"),
    ],
)  # fmt: skip
def test_not_attempted(
    install: Install, ask: Ask, host: Host, lang: str, programs: dict[str, str], files: dict[str, str], reason: str
) -> None:
    install(programs)
    with pytest.raises(NotAttempted) as refused:
        build(host).answer(ask(lang, files))
    assert str(refused.value) == reason


def test_a_patch_without_a_tree_is_not_attempted(install: Install, ask: Ask, host: Host) -> None:
    install(NOTHING)
    with pytest.raises(NotAttempted, match="the case has no tree, only a patch"):
        build(host).answer(ask("python", {"a.py": ""}, tree=False))


def test_an_arm_for_some_languages_leaves_the_others(install: Install, ask: Ask, host: Host) -> None:
    install(NOTHING)
    arm = build(host, lang=("shell",))
    assert arm.versions.keys() == {"shellcheck"}
    with pytest.raises(NotAttempted, match="this arm is for shell, not for python"):
        arm.answer(ask("python", {"a.py": ""}))


def test_what_was_not_reviewed_is_said_beside_what_was(install: Install, ask: Ask, host: Host) -> None:
    install({"ruff": NOTHING["ruff"]})
    answer = build(host).answer(ask("python", {"a.py": "", "b.py": b"\xff", "c.toml": ""}))
    assert answer.warnings == (
        "pyrefly is not installed, its findings are missing: pip install 'pytest-reviewbench[tools]'",
        "not reviewed: c.toml: no analyser for python takes it",
        "not reviewed: b.py: not UTF-8",
    )


def test_one_analyser_that_fails_fails_the_review(install: Install, ask: Ask, host: Host) -> None:
    install(NOTHING | {"pyrefly": "echo 'it broke' >&2; exit 101"})
    with pytest.raises(ReviewFailed, match="pyrefly ended with exit code 101: it broke"):
        build(host).answer(ask("python", {"a.py": ""}))


def test_all_analysers_share_one_time_limit(install: Install, ask: Ask) -> None:
    install(NOTHING | {"pyrefly": "exec sleep 60"})
    with pytest.raises(ReviewFailed, match="pyrefly was stopped after 1 s") as failed:
        build(Host(Children(), timeout=1)).answer(ask("python", {"a.py": ""}))
    assert failed.value.kind == "timeout"


def test_an_analyser_sees_no_environment_but_its_own(
    install: Install, ask: Ask, host: Host, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("SHELLCHECK_OPTS", "PYREFLY_PRESET", "RUFF_CONFIG", "PYTEST_CURRENT_TEST", "API_TOKEN"):
        monkeypatch.setenv(name, "x")
    install({"shellcheck": f"env > {tmp_path}/env; pwd > {tmp_path}/pwd; {NOTHING['shellcheck']}"})
    question = ask("shell", {"a.sh": "echo\n"})
    build(host).answer(question)
    names = {line.partition("=")[0] for line in (tmp_path / "env").read_text().splitlines()}
    assert names <= {"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "PWD", "SHLVL", "_", "OLDPWD"}
    assert (tmp_path / "pwd").read_text().strip() == str(question.tree)


def test_versions_are_asked_once(install: Install, host: Host, tmp_path: Path) -> None:
    install(
        {
            "ruff": f"echo x >> {tmp_path}/calls; echo ruff 0.99.1",
            "oxlint": "echo Version: 1.2.3-beta.1",
            "shellcheck": "exit 3",
        }
    )
    arm = build(host)
    expected = {"ruff": "0.99.1", "pyrefly": None, "oxlint": "1.2.3-beta.1", "shellcheck": "unknown"}
    assert arm.versions == arm.versions == expected
    assert (tmp_path / "calls").read_text() == "x\n"
