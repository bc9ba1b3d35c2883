"""Options at work: defaults from files, gates and exit statuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.samples import (
    HIT,
    OTHER,
    logged,
    obedient,
    report,
    runs,
    say,
    write_acting_case,
    write_case,
    write_project,
)

MODES = pytest.mark.parametrize("mode", [(), ("-n", "2")], ids=["in flight", "xdist"])


def project(folder: Path, settings: str = "", ini: str = "") -> None:
    """Two cases with a bug and one without; `echo` hits and adds a false one, `hush` finds nothing."""
    for case in ("py-1", "py-2"):
        write_case(folder / "corpus", case)
    write_case(folder / "corpus", "py-3", bugs=[])
    write_project(folder, {"echo": say([HIT, OTHER]), "hush": say([])}, settings)
    if ini:
        file = folder / "pyproject.toml"
        file.write_text(f"[tool.pytest.ini_options]\n{ini}\n{file.read_text()}")


def test_files_give_defaults_and_never_wake_the_plugin(pytester: pytest.Pytester) -> None:
    project(
        pytester.path, 'case = ["py-1"]\nfail-on-miss = true', "reviewbench_jobs = '3'\nreviewbench_reps = '2,'"
    )
    pytester.makepyfile(test_own="def test_own(): pass")
    plain = pytester.runpytest_inprocess()
    plain.assert_outcomes(passed=1)
    assert runs(pytester.path) == []
    pytester.runpytest_inprocess("--reviewbench-arm=hush", "-o", "reviewbench_jobs=2").assert_outcomes(failed=1)
    (run,) = runs(pytester.path)
    manifest = json.loads((run / "manifest.json").read_text())
    assert (manifest["cases"], manifest["rep"], manifest["jobs"]) == (["py-1"], 2, 2)


@MODES
def test_a_miss_fails_only_when_that_was_asked_for(pytester: pytest.Pytester, mode: tuple[str, ...]) -> None:
    project(pytester.path)
    asked = pytester.runpytest_inprocess("--reviewbench-arm=hush", "--reviewbench-fail-on-miss", *mode)
    assert asked.ret == pytest.ExitCode.TESTS_FAILED
    asked.assert_outcomes(passed=1, failed=2)
    asked.stdout.fnmatch_lines(["missed 1 of 1 known bugs", "again: pytest --reviewbench-arm=hush *"])
    assert report(pytester.path)["arms"]["hush"]["numbers"]["ok"] == 3, "a miss is a review that is ok"
    if not mode:
        pytester.runpytest_inprocess("--reviewbench-arm=hush").assert_outcomes(passed=3)


@pytest.mark.parametrize(
    ("gates", "holds", "said"),
    [
        (["--reviewbench-fail-under=recall_strict=1"], True, "1 yes"),
        (["--reviewbench-fail-under=echo:precision_strict=0.34"], False, "0.3333 NO"),
        (["--reviewbench-fail-over=false_alarms_clean=0.5"], False, "1 NO"),
        (["--reviewbench-fail-over=findings=6", "--reviewbench-fail-under=findings=6"], True, "6 yes"),
        (["--reviewbench-fail-under=recall_strict=0", "--reviewbench-fail-over=error=-1"], False, "0 NO"),
        (["--reviewbench-fail-under=precision_verified=0"], False, "not measured NO"),
        (["--reviewbench-fail-over=cost_usd=100"], False, "not measured NO"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_gate_decides_the_exit_status_of_a_session_whose_items_passed(
    pytester: pytest.Pytester, gates: list[str], holds: bool, said: str
) -> None:
    project(pytester.path)
    result = pytester.runpytest_inprocess("--reviewbench-arm=echo", *gates)
    result.assert_outcomes(passed=3)
    assert result.ret == (0 if holds else 1)
    assert any(" ".join(line.split()).endswith(said) for line in result.outlines)
    assert [row["held"] for row in report(pytester.path)["gates"]][-1] is holds


def test_a_gate_without_an_arm_must_hold_for_every_arm(pytester: pytest.Pytester) -> None:
    project(pytester.path, 'fail-under = ["recall_strict=0.5"]')
    pytester.runpytest_inprocess("--reviewbench-arm=echo").assert_outcomes(passed=3)
    both = pytester.runpytest_inprocess("--reviewbench-arm=echo", "--reviewbench-arm=hush", "-n", "2")
    both.assert_outcomes(passed=6)
    assert both.ret == 1
    assert {row["arm"]: row["held"] for row in report(pytester.path)["gates"]} == {"echo": True, "hush": False}
    one = ("--reviewbench-fail-under=echo:recall_strict=0.5", "--reviewbench-arm=echo", "--reviewbench-arm=hush")
    assert pytester.runpytest_inprocess(*one).ret == 0


def test_a_gate_on_an_arm_of_which_nothing_was_selected_does_not_hold(pytester: pytest.Pytester) -> None:
    project(pytester.path)
    args = ("--reviewbench-arm=echo", "--reviewbench-arm=hush", "-k", "hush")
    result = pytester.runpytest_inprocess(*args, "--reviewbench-fail-under=echo:recall_strict=0.5")
    result.assert_outcomes(passed=3, deselected=3)
    assert result.ret == 1
    assert [(row["arm"], row["said"]) for row in report(pytester.path)["gates"]] == [("echo", "not measured")]


def test_a_gate_that_holds_does_not_hide_that_an_item_failed(pytester: pytest.Pytester) -> None:
    write_acting_case(pytester.path / "corpus", "c1", "exit 3")
    write_project(pytester.path, {"arm": obedient(pytester.path)})
    assert pytester.runpytest_inprocess("--reviewbench-arm=arm", "--reviewbench-fail-under=ok=0").ret == 1
    assert [row["held"] for row in report(pytester.path)["gates"]] == [True]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            ("--reviewbench-fail-under=recal_strict=1",),
            "*there is no number 'recal_strict'; did you mean 'recall_strict'?",
        ),
        (("--reviewbench-fail-over=zzz=1",), "*there is no number 'zzz'; known: ok, *"),
        (("--reviewbench-fail-under=ecko:ok=1",), "*no arm 'ecko' in this session; it has echo"),
        (("--reviewbench-fail-under=recall_strict",), "*'recall_strict' is not [[]ARM:]NAME=VALUE, as in *"),
        (("--reviewbench-reps=0",), "--reviewbench-reps: '0' is neither a number of repetitions (3) nor *"),
        (("--reviewbench-jobs=none",), "--reviewbench-jobs: expected a whole number from 1 to 10000, got 'none'"),
        (
            ("-o", "reviewbench_jobs=0"),
            "ini value reviewbench_jobs: expected a whole number from 1 to 10000, got '0'",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
@MODES
def test_an_option_that_cannot_be_used_is_one_line_and_exit_4(
    pytester: pytest.Pytester, mode: tuple[str, ...], args: tuple[str, ...], said: str
) -> None:
    write_acting_case(pytester.path / "corpus", "c1", "log c1; say []")
    write_project(pytester.path, {"echo": obedient(pytester.path)})
    result = pytester.runpytest_inprocess("--reviewbench-arm=echo", *args, *mode)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {said}"])
    assert len([line for line in result.errlines if line]) == 1
    assert (logged(pytester.path), runs(pytester.path)) == ([], [])


def test_an_unknown_key_is_named_only_when_an_arm_wakes_the_plugin(pytester: pytest.Pytester) -> None:
    project(pytester.path, "jbos = 3")
    pytester.makepyfile(test_own="def test_own(): pass")
    assert pytester.runpytest_inprocess().ret == 0
    refused = pytester.runpytest_inprocess("--reviewbench-arm=echo")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(
        ["ERROR: *pyproject.toml: [[]tool.reviewbench] has no key 'jbos'; did you mean 'jobs'?"]
    )
