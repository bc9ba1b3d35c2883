"""What a person must not miss: a gate without an arm, a reason, a failed run that looks like an empty one."""

from __future__ import annotations

import pytest

from tests.samples import HIT, report, say, write_case, write_project


@pytest.fixture
def corpus(pytester: pytest.Pytester) -> None:
    write_case(pytester.path / "corpus", "py-1")


@pytest.mark.parametrize(
    "option", ["--reviewbench-fail-under=recall_strict=1", "--reviewbench-case=py-1", "--reviewbench-fail-on-miss"]
)
def test_an_option_that_lost_its_arm_is_refused_and_not_green(pytester: pytest.Pytester, option: str) -> None:
    pytester.makepyfile("def test_it():\n    pass\n")
    result = pytester.runpytest_inprocess(option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {option}: without --reviewbench-arm=NAME nothing is reviewed; add it"])


def test_defaults_in_addopts_and_ini_leave_a_session_without_an_arm_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it():\n    pass\n")
    pytester.makeini("[pytest]\naddopts = --reviewbench-jobs=2\nreviewbench_timeout = 9\n")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_an_arm_table_without_a_family_is_told_to_name_one(pytester: pytest.Pytester, corpus: None) -> None:
    write_project(pytester.path, {"own": {"argv": ["true"]}})
    result = pytester.runpytest_inprocess("--reviewbench-arm=own")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(['*[[]tool.reviewbench.arms.own[]] family: missing; write family = "command" *'])


def test_reasons_and_broken_gates_stand_where_they_are_seen(pytester: pytest.Pytester, corpus: None) -> None:
    write_project(pytester.path, {"other": {**say([HIT]), "lang": ["shell"]}, "own": say([])})
    result = pytester.runpytest_inprocess(
        "--reviewbench-arm=other", "--reviewbench-arm=own", "--reviewbench-fail-under=own:recall_strict=0.5"
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "Why reviews have no answer",
            "  other: 1 not attempted: this arm is for shell, not for python",
            "report *",
            "GATE: fail-under own:recall_strict=0.5 does not hold: own has 0",
        ]
    )
    written = (pytester.path / ".reviewbench/runs/report.md").read_text()
    assert "- other: 1 not attempted: this arm is for shell, not for python" in written


def test_an_answer_that_cannot_be_read_says_what_the_program_complained_of(
    pytester: pytest.Pytester, corpus: None
) -> None:
    script = "import sys; sys.exit(print('rules.yml: no such file', file=sys.stderr))"
    write_project(pytester.path, {"own": {"family": "command", "argv": ["python3", "-c", script]}})
    result = pytester.runpytest_inprocess("--reviewbench-arm=own")
    result.stdout.fnmatch_lines(["unparsable: answer: no output, *; stderr: rules.yml: no such file"])


def test_x_begins_no_review_after_the_first_that_failed(pytester: pytest.Pytester) -> None:
    for n in range(40):
        write_case(pytester.path / "corpus", f"py-{n}")
    write_project(pytester.path, {"own": say([], code=3)})
    pytester.runpytest_inprocess("--reviewbench-arm=own", "--reviewbench-jobs=1", "-x").assert_outcomes(failed=1)
    numbers = report(pytester.path)["arms"]["own"]["numbers"]
    assert numbers["error"] <= 4  # the one that failed, and what was under way beside it
    assert numbers["error"] + numbers["not_run"] == 40
