"""Which reviews a session does: every way that pytest has to choose, and ours."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tests.samples import (
    HIT,
    logged,
    obedient,
    records,
    report,
    runs,
    say,
    write_acting_case,
    write_case,
    write_project,
)

MODES = pytest.mark.parametrize("mode", [(), ("-n", "2")], ids=["in flight", "xdist"])


@pytest.fixture
def corpus(pytester: pytest.Pytester) -> Path:
    """py-1 (test), py-10 (test, class cross-file), js-1 (test), py-2 (train) and two arms: echo and hush."""
    corpus = pytester.path / "corpus"
    write_case(corpus, "py-1")
    write_case(corpus, "py-10", meta={"class": "cross-file"})
    write_case(corpus, "js-1", lang="javascript")
    write_case(corpus, "py-2", split="train")
    write_project(pytester.path, {"echo": say([HIT]), "hush": say([])})
    return corpus


def collected(pytester: pytest.Pytester, *args: str) -> list[str]:
    """The node ids that a session with `args` would run."""
    result = pytester.runpytest_inprocess("--collect-only", "-q", *args)
    return [line for line in result.outlines if "::" in line]


def test_plain_pytest_runs_the_projects_tests_and_sees_no_case(pytester: pytest.Pytester, corpus: Path) -> None:
    pytester.makepyfile(test_own="def test_own(): pass")
    assert collected(pytester) == ["test_own.py::test_own"]
    for named in ("corpus", "corpus/manifest.json"):
        result = pytester.runpytest_inprocess("--collect-only", "-q", named)
        assert "::" not in result.stdout.str(), named
        assert result.ret in (pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.USAGE_ERROR)
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*review benchmark*")
    assert not (pytester.path / ".reviewbench").exists()


def test_an_arm_without_a_path_means_the_corpus_and_not_testpaths(pytester: pytest.Pytester, corpus: Path) -> None:
    pytester.makepyfile(test_own="def test_own(): pass")
    project = pytester.path / "pyproject.toml"
    project.write_text('[tool.pytest.ini_options]\ntestpaths = ["test_own.py"]\n' + project.read_text())
    assert collected(pytester) == ["test_own.py::test_own"]
    assert collected(pytester, "--reviewbench-arm=echo") == [
        "corpus/manifest.json::js-1::echo",
        "corpus/manifest.json::py-1::echo",
        "corpus/manifest.json::py-10::echo",
    ]


def test_collect_only_makes_no_run(pytester: pytest.Pytester, corpus: Path) -> None:
    for args in ((), ("-n", "2")):
        result = pytester.runpytest_inprocess("--reviewbench-arm=echo", "--co", *args)
        assert result.ret == 0
        result.stdout.no_fnmatch_line("*review benchmark*")
    assert not (pytester.path / ".reviewbench").exists()


@pytest.mark.parametrize(
    ("args", "chosen"),
    [
        (("--reviewbench-case=py-1",), ["py-1"]),
        (("--reviewbench-case=py-10", "--reviewbench-case=js-1"), ["js-1", "py-10"]),
        (("--reviewbench-case", "py-2"), ["py-2"]),
        (("--reviewbench-split=train",), ["py-2"]),
        (("--reviewbench-split=all",), ["js-1", "py-1", "py-10", "py-2"]),
        (("-k", "py-1"), ["py-1", "py-10"]),
        (("-k", "js-1 or py-10"), ["js-1", "py-10"]),
        (("-m", "lang_javascript"), ["js-1"]),
        (("-m", "class_cross-file"), ["py-10"]),
        (("-m", "lang_python and not class_cross-file"), ["py-1"]),
        (("-m", "split_train", "--reviewbench-split=all"), ["py-2"]),
        (("-m", "kind_review and lang_javascript"), ["js-1"]),
        (("corpus/manifest.json::py-1::echo",), ["py-1"]),
        (("corpus/manifest.json::py-10",), ["py-10"]),
        (("corpus",), ["js-1", "py-1", "py-10"]),
        (("corpus/manifest.json::py-1::echo", "corpus/manifest.json::js-1"), ["py-1", "js-1"]),
        (("--deselect", "corpus/manifest.json::py-1::echo"), ["js-1", "py-10"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_every_way_to_select_chooses_exactly_these_cases(
    pytester: pytest.Pytester, corpus: Path, args: tuple[str, ...], chosen: list[str]
) -> None:
    found = collected(pytester, "--reviewbench-arm=echo", "--strict-markers", *args)
    assert found == [f"corpus/manifest.json::{case}::echo" for case in chosen]


@MODES
def test_a_run_holds_the_selected_cases_and_no_others(
    pytester: pytest.Pytester, corpus: Path, mode: tuple[str, ...]
) -> None:
    result = pytester.runpytest_inprocess("--reviewbench-arm=echo", "-k", "py-1", "--strict-markers", *mode)
    result.assert_outcomes(passed=2, deselected=0 if mode else 1)
    assert set(records(pytester.path)) == {"py-1", "py-10"}
    (run,) = runs(pytester.path)
    assert (run / "COMPLETE").exists()


def test_an_arm_of_several_is_selected_by_its_node_id(pytester: pytest.Pytester, corpus: Path) -> None:
    args = ("--reviewbench-arm=echo", "--reviewbench-arm=hush", "corpus/manifest.json::py-1::hush")
    pytester.runpytest_inprocess(*args).assert_outcomes(passed=1)
    assert list(report(pytester.path)["arms"]) == ["hush"]
    assert [run.name.partition("-")[0] for run in runs(pytester.path)] == ["hush"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--reviewbench-case=py-3",), "--reviewbench-case: the corpus */corpus has no case 'py-3'*"),
        (("--reviewbench-case=PY-1",), "--reviewbench-case: *has no case 'PY-1'*"),
        (("--reviewbench-case=py-1", "--reviewbench-case=py-1"), "--reviewbench-case: 'py-1' was given twice"),
        (("--reviewbench-split=tset",), "--reviewbench-split: *'tset'*did you mean 'test'?*"),
        (
            ("--reviewbench-corpus=nowhere",),
            "*nowhere: no such corpus folder; name one with *",
        ),
        (("corpus/py-1",), "*corpus/py-1: lies inside the corpus *select with --reviewbench-case=ID*"),
    ],
    ids=["unknown case", "other letter case", "twice", "split", "corpus", "path inside"],
)
def test_a_selection_that_cannot_be_is_one_line_and_exit_4(
    pytester: pytest.Pytester, corpus: Path, args: tuple[str, ...], said: str
) -> None:
    result = pytester.runpytest_inprocess("--reviewbench-arm=echo", *args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {said}"])
    assert [line for line in result.errlines if line] == [line for line in result.errlines if "ERROR" in line][:1]


def test_a_folder_with_the_name_of_an_arm_or_case_does_not_mislead_the_form_with_a_space(
    pytester: pytest.Pytester, corpus: Path
) -> None:
    for name in ("echo", "py-1"):
        pytester.mkdir(name)
    found = collected(pytester, "--reviewbench-arm", "echo", "--reviewbench-case", "py-1")
    assert found == ["corpus/manifest.json::py-1::echo"]


def test_workers_add_nothing_to_a_usage_error(pytester: pytest.Pytester, corpus: Path) -> None:
    result = pytester.runpytest_subprocess("--reviewbench-arm=echo", "--reviewbench-case=nope", "-n", "2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.stderr.str().count("nope") == 1
    assert "worker" not in result.stdout.str()


def test_a_node_id_that_is_not_there_is_exit_4(pytester: pytest.Pytester, corpus: Path) -> None:
    result = pytester.runpytest_inprocess("--reviewbench-arm=echo", "corpus/manifest.json::py-7::echo")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*not found: *py-7*"])


def test_nothing_selected_is_exit_5_and_says_so(pytester: pytest.Pytester, corpus: Path) -> None:
    result = pytester.runpytest_inprocess("--reviewbench-arm=echo", "-k", "nothing-like-it")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.stdout.fnmatch_lines(["no review was selected, so nothing was measured"])
    assert runs(pytester.path) == []


@MODES
def test_lf_reviews_again_exactly_what_failed(pytester: pytest.Pytester, mode: tuple[str, ...]) -> None:
    corpus = pytester.path / "corpus"
    write_acting_case(corpus, "a1", "log a1; say []")
    write_acting_case(corpus, "a2", "log a2; exit 3")
    write_acting_case(corpus, "a3", "log a3; say []")
    write_acting_case(corpus, "a4", "log a4; say nothing")
    write_project(pytester.path, {"arm": obedient(pytester.path)})
    args = ("--reviewbench-arm=arm", "--reviewbench-reps=2,", *mode)
    pytester.runpytest_inprocess(*args).assert_outcomes(passed=2, failed=2)
    (pytester.path / "log").unlink()
    again = pytester.runpytest_inprocess("--lf", *args)
    again.assert_outcomes(failed=2)
    assert sorted(logged(pytester.path)) == ["a2", "a4"]
    again.stdout.fnmatch_lines(["FAILED corpus/manifest.json::a2::arm.r2 - error (exit): *"])


@MODES
def test_a_corpus_outside_the_rootdir_is_reviewed_and_rerun_as_its_message_says(
    pytester: pytest.Pytester, tmp_path: Path, mode: tuple[str, ...]
) -> None:
    corpus = tmp_path / "else where" / "bugs"
    write_acting_case(corpus, "a1", "log a1; say []")
    write_acting_case(corpus, "a2", "log a2; exit 3")
    write_project(pytester.path, {"arm": obedient(pytester.path)})
    first = pytester.runpytest_inprocess("--reviewbench-arm=arm", f"--reviewbench-corpus={corpus}", *mode)
    first.assert_outcomes(passed=1, failed=1)
    assert {case: r["status"] for case, r in records(pytester.path).items()} == {"a1": "ok", "a2": "error"}
    first.stdout.fnmatch_lines(["FAILED bugs/manifest.json::a2::arm - *"])
    # In CI pytest repeats the whole message in its summary.
    (hint,) = {line for line in first.outlines if line.startswith("again: pytest ")}
    (pytester.path / "log").unlink()
    again = pytester.runpytest_inprocess(*shlex.split(hint)[2:], *mode)
    again.assert_outcomes(failed=1)
    assert logged(pytester.path) == ["a2"]
    if not mode:
        lf = pytester.runpytest_inprocess("--reviewbench-arm=arm", f"--reviewbench-corpus={corpus}", "--lf")
        lf.assert_outcomes(failed=1)


@pytest.mark.parametrize("name", ["corpus", "runs"])
def test_the_space_form_of_a_path_option_is_refused_with_the_form_that_works(
    pytester: pytest.Pytester, corpus: Path, tmp_path: Path, name: str
) -> None:
    result = pytester.runpytest_inprocess("--reviewbench-arm=echo", f"--reviewbench-{name}", str(tmp_path))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [f"ERROR: --reviewbench-{name} must be written with '=', as --reviewbench-{name}=PATH*"]
    )
    assert runs(pytester.path) == []


def test_a_path_option_counts_from_where_the_user_is_and_an_ini_value_from_the_rootdir(
    pytester: pytest.Pytester, corpus: Path
) -> None:
    below = pytester.mkdir("below")
    session = f"cd below && {sys.executable} -m pytest --reviewbench-arm=echo --reviewbench-case=py-1 -q"
    assert pytester.run("sh", "-c", f"{session} --reviewbench-runs=mine").ret == 0
    assert len(list(below.glob("mine/echo-1-*/COMPLETE"))) == 1
    (pytester.path / "pytest.ini").write_text("[pytest]\nreviewbench_runs = theirs\n")
    assert pytester.run("sh", "-c", session).ret == 0
    assert len(list(pytester.path.glob("theirs/echo-1-*/COMPLETE"))) == 1


@MODES
def test_ordinary_tests_beside_a_corpus_run_once_with_their_fixtures(
    pytester: pytest.Pytester, corpus: Path, mode: tuple[str, ...]
) -> None:
    pytester.mkdir("tests").joinpath("test_own.py").write_text(
        "import pytest\n"
        "@pytest.fixture(scope='session')\n"
        "def costly(tmp_path_factory):\n"
        "    with open('fixture.log', 'a') as log: log.write('up\\n')\n"
        "    yield\n"
        "    with open('fixture.log', 'a') as log: log.write('down\\n')\n"
        "def test_one(costly): pass\n"
        "def test_two(costly): pass\n"
    )
    args = ("corpus", "tests", "--reviewbench-arm=echo", *mode, *(("--dist=loadfile",) if mode else ()))
    result = pytester.runpytest_inprocess(*args)
    result.assert_outcomes(passed=5)
    assert (pytester.path / "fixture.log").read_text() == "up\ndown\n"
    assert set(records(pytester.path)) == {"js-1", "py-1", "py-10"}


def test_tests_named_on_the_command_line_are_all_that_runs(pytester: pytest.Pytester, corpus: Path) -> None:
    pytester.mkdir("tests").joinpath("test_own.py").write_text("def test_one(): pass\n")
    result = pytester.runpytest_inprocess("tests", "--reviewbench-arm=echo")
    result.assert_outcomes(passed=1)
    assert runs(pytester.path) == []


def test_a_failed_collection_of_ordinary_tests_starts_no_review(pytester: pytest.Pytester, corpus: Path) -> None:
    pytester.mkdir("tests").joinpath("test_own.py").write_text("import nowhere_to_be_found\n")
    result = pytester.runpytest_inprocess("tests", "corpus", "--reviewbench-arm=echo")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.no_fnmatch_line("*review benchmark*")
    assert runs(pytester.path) == []


def test_a_case_without_a_change_is_not_attempted_and_nobody_is_asked(pytester: pytest.Pytester) -> None:
    corpus = pytester.path / "corpus"
    write_case(corpus, "py-1", patch=None, context={}, meta={"no_change": "the diff is not ours to give"})
    write_acting_case(corpus, "py-2", "log asked; say []")
    write_project(pytester.path, {"arm": obedient(pytester.path)})
    result = pytester.runpytest_subprocess("--reviewbench-arm=arm", "--reviewbench-twins", "-rs")
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["*no change to show: the diff is not ours to give*"])
    assert {case: one["status"] for case, one in records(pytester.path).items()} == {
        "py-1": "not_attempted",
        "py-2": "ok",
    }
    assert logged(pytester.path) == ["asked"]
