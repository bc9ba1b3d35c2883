"""Nothing of a corpus runs, however a session meets it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.samples import report, write_case
from tests.session.hostile import CODE_ANYWHERE, CONFIGURATION, Trap, assert_refused

ARMED = "--reviewbench-arm=echo"

REFUSED = [
    ["corpus"],
    ["./corpus/../corpus"],
    ["corpus/manifest.json"],
    ["corpus/test-abc"],
    ["corpus/test-abc/context"],
    ["corpus/test-abc/context/pkg/a.py"],
    ["corpus/test-abc/test_evil.py::test_evil"],
    ["tests", "corpus/elsewhere"],
    ["--pyargs", "corpus"],
    ["--pyargs", "corpus.conftest"],
    ["--pyargs", "corpus.elsewhere.deep"],
    ["--doctest-modules", "corpus/evil_test.py"],
    ["-p", "no:cacheprovider", "corpus"],
    ["--import-mode=importlib", "corpus"],
    ["-n", "2", "corpus"],
    ["--rootdir=corpus"],
    ["--confcutdir=corpus", "corpus"],
    ["-o", "testpaths=corpus"],
    ["-o", "testpaths=cor*"],
    ["-o", "testpaths=corpus/test-abc"],
    ["--pyargs", "-o", "testpaths=corpus.elsewhere"],
    [ARMED],
    [ARMED, "-n", "2"],
    [ARMED, "."],
    [ARMED, "tests"],
    [ARMED, "corpus"],
    [ARMED, "corpus/test-abc"],
    [ARMED, "corpus/manifest.json::test-abc::echo"],
    [ARMED, "--reviewbench-corpus=corpus"],
    [ARMED, "--reviewbench-corpus=./corpus/", "--noconftest"],
    [ARMED, "--import-mode=importlib"],
    [ARMED, "-p", "no:cacheprovider"],
    [ARMED, "--collect-only", "-q"],
]

IGNORED = [
    [],
    ["."],
    ["tests"],
    ["-n", "2"],
    ["-p", "no:cacheprovider"],
    ["--import-mode=importlib"],
    ["--doctest-modules"],
    ["--doctest-glob=*"],
    ["--doctest-modules", "--import-mode=importlib", "."],
    ["-o", "python_files=*.py"],
    ["-o", "norecursedirs="],
]


def ids(ways: list[list[str]]) -> list[str]:
    return [" ".join(way) or "plain" for way in ways]


@pytest.mark.parametrize("way", REFUSED, ids=ids(REFUSED))
def test_a_session_that_would_run_code_of_a_corpus_ends_before_it(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, way: list[str]
) -> None:
    trap = Trap(pytester)
    trap.set(*CODE_ANYWHERE)
    monkeypatch.syspath_prepend(pytester.path)  # as `python -m pytest` does: --pyargs finds the corpus
    result = trap.run(*way)
    assert trap.sprung == []
    assert_refused(result, "corpus")


@pytest.mark.parametrize("way", IGNORED, ids=ids(IGNORED))
def test_a_plain_session_beside_a_hostile_corpus_runs_its_own_tests_only(
    pytester: pytest.Pytester, way: list[str]
) -> None:
    trap = Trap(pytester)
    trap.set(*CODE_ANYWHERE)
    result = trap.run(*way)
    assert trap.sprung == []
    assert result.ret == 0
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("way", [["corpus"], [ARMED]], ids=["dormant", "armed"])
@pytest.mark.parametrize("name", CODE_ANYWHERE)
def test_code_at_any_level_of_a_corpus_is_an_error_that_names_it(
    pytester: pytest.Pytester, name: str, way: list[str]
) -> None:
    trap = Trap(pytester)
    trap.set(name)
    result = trap.run(*way)
    assert trap.sprung == []
    assert_refused(result, str(trap.corpus / name), "remove it")


@pytest.mark.parametrize("name", CONFIGURATION)
def test_configuration_in_a_corpus_is_an_error_not_obeyed(pytester: pytest.Pytester, name: str) -> None:
    trap = Trap(pytester)
    trap.set("evil.py")
    (trap.corpus / name).write_text(f"[pytest]\nlog_file = {pytester.path}/written\n")
    if name == "pyproject.toml":
        words = '["python3", "-c", "open(\'../written\', \'w\')"]'
        (trap.corpus / name).write_text(
            f"[tool.pytest.ini_options]\n[tool.reviewbench.arms.tools]\nfamily = 'command'\nargv = {words}\n"
        )
    if name == "pytest.toml":
        (trap.corpus / name).write_text(f"[pytest]\nlog_file = '{pytester.path}/written'\n")
    if name == "setup.cfg":
        (trap.corpus / name).write_text(f"[tool:pytest]\nlog_file = {pytester.path}/written\n")
    result = trap.run("--reviewbench-arm=tools", "--reviewbench-corpus=corpus", "corpus")
    assert not (pytester.path / "written").exists()
    assert_refused(result, str(trap.corpus / name))


def test_test_modules_among_the_reviewed_files_are_data(pytester: pytest.Pytester) -> None:
    trap = Trap(pytester)
    trap.set("test-abc/context/test_evil.py", "test-abc/context/tests/__init__.py", "test-abc/context/setup.cfg")
    result = trap.run(ARMED, "--doctest-modules")
    assert (result.ret, trap.sprung) == (0, [])
    assert report(pytester.path)["arms"]["echo"]["numbers"]["recall_strict"] == 1.0


@pytest.mark.parametrize("inside", ["", "test-abc", "test-abc/context", "elsewhere"])
@pytest.mark.parametrize("way", [[], ["."], [ARMED], [ARMED, "-n", "2"]], ids=["plain", "dot", "armed", "xdist"])
def test_a_session_started_inside_a_corpus_runs_nothing_of_it(
    pytester: pytest.Pytester, inside: str, way: list[str]
) -> None:
    trap = Trap(pytester)
    trap.set(*CODE_ANYWHERE)
    os.chdir(trap.corpus / inside)
    result = trap.run(*way)
    assert trap.sprung == []
    assert_refused(result, str(trap.corpus))


ABOVE: dict[str, tuple[str, ...]] = {
    "in flight": (),
    "xdist": ("-n", "2"),
    "importlib": ("--import-mode=importlib",),
    "the folder by name": ("{out}/corpus",),
    "the folder by name, xdist": ("{out}/corpus", "-n", "2"),
    "the index by name": ("{out}/corpus/manifest.json",),
}


@pytest.mark.parametrize("way", ABOVE.values(), ids=ABOVE)
def test_code_in_the_folder_above_a_corpus_does_not_run(
    pytester: pytest.Pytester, tmp_path: Path, way: tuple[str, ...]
) -> None:
    trap = Trap(pytester, tmp_path / "out" / "corpus")
    for name in ("conftest.py", "__init__.py", "test_evil.py"):
        (tmp_path / "out" / name).write_text(trap.code(name))
        (tmp_path / name).write_text(trap.code(name))
    (pytester.path / "pytest.ini").write_text("[pytest]\n")
    above = os.path.relpath(tmp_path, pytester.path)
    words = [word.format(out=tmp_path / "out") for word in way]
    result = trap.run(ARMED, f"--reviewbench-corpus={above}/out/corpus", f"--rootdir={pytester.path}", *words)
    assert (result.ret, trap.sprung) == (0, [])
    result.assert_outcomes(passed=1)


def test_a_link_into_a_corpus_is_no_way_in(pytester: pytest.Pytester) -> None:
    trap = Trap(pytester)
    trap.set(*CODE_ANYWHERE)
    (pytester.path / "way").symlink_to(trap.corpus / "test-abc")
    result = trap.run("way")
    assert trap.sprung == []
    assert_refused(result, str(trap.corpus))


def test_a_link_into_a_corpus_is_not_followed_by_a_plain_session(pytester: pytest.Pytester) -> None:
    trap = Trap(pytester)
    trap.set(*CODE_ANYWHERE)
    (pytester.path / "way").symlink_to(trap.corpus / "test-abc")
    result = trap.run()
    assert (result.ret, trap.sprung) == (0, [])
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("index", ["", "[", "{}", "[]", '[{"id": "test-abc"}]'])
def test_an_armed_session_with_a_broken_index_runs_no_code_either(pytester: pytest.Pytester, index: str) -> None:
    trap = Trap(pytester)
    trap.set(*CODE_ANYWHERE)
    (trap.corpus / "manifest.json").write_text(index)
    result = trap.run(ARMED)
    assert trap.sprung == []
    assert_refused(result, str(trap.corpus))


def test_without_an_arm_a_folder_whose_index_is_broken_is_a_folder_like_any_other(
    pytester: pytest.Pytester,
) -> None:
    trap = Trap(pytester)
    trap.set("test-abc/test_evil.py")
    (trap.corpus / "manifest.json").write_text("[")
    result = trap.run("corpus")
    assert (result.ret, trap.sprung) == (0, ["test-abc.test_evil.py"])


@pytest.mark.parametrize(
    "way", [[], ["x" * 5000], [ARMED, "--reviewbench-corpus=."]], ids=["loop", "long", "wrong"]
)
def test_a_project_that_is_no_corpus_is_not_disturbed(pytester: pytest.Pytester, way: list[str]) -> None:
    trap = Trap(pytester)
    (pytester.path / "loop").symlink_to("loop")
    (pytester.path / "conftest.py").write_text("")
    result = trap.run(*way)
    if not way:
        result.assert_outcomes(passed=1)
    elif ARMED in way:
        assert_refused(result, f"{pytester.path}/manifest.json: missing")
    else:
        assert_refused(result, "file or directory not found")


def test_a_corpus_behind_a_link_works_and_code_in_it_is_refused(pytester: pytest.Pytester, tmp_path: Path) -> None:
    trap = Trap(pytester, tmp_path / "out" / "cases")
    (pytester.path / "corpus").symlink_to(trap.corpus)
    assert trap.run(ARMED).ret == 0
    trap.set("test-abc/conftest.py")
    result = trap.run(ARMED)
    assert trap.sprung == []
    assert_refused(result, "test-abc/conftest.py")


def test_a_corpus_called_test_something_is_refused_before_pytest_peeks_into_it(pytester: pytest.Pytester) -> None:
    trap = Trap(pytester, pytester.path / "testcases")
    trap.set("conftest.py")
    result = trap.run()
    assert trap.sprung == []
    assert_refused(result, "testcases/conftest.py")


def test_a_second_corpus_of_the_project_is_ignored_by_an_armed_session(pytester: pytest.Pytester) -> None:
    trap = Trap(pytester, pytester.path / "other")
    trap.set(*CODE_ANYWHERE)
    write_case(pytester.path / "corpus", "py-1")
    result = trap.run(ARMED, ".")
    assert (result.ret, trap.sprung) == (0, [])
    result.assert_outcomes(passed=2)
