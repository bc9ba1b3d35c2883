"""What a session was asked for, from the command line, the ini file and pyproject.toml."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.options import OPTIONS
from pytest_reviewbench.settings import Settings, read_settings
from pytest_reviewbench.shipped_corpus import shipped_corpus


def settings(
    pytester: pytest.Pytester, *args: str, ini: str = "", table: str = "", arm: str = "--reviewbench-arm=tools"
) -> Settings:
    """The settings of `pytest --reviewbench-arm=tools ARGS` with these lines in the two places for defaults."""
    text = f"[tool.pytest.ini_options]\n{ini}\n[tool.reviewbench]\n{table}\n"
    (pytester.path / "pyproject.toml").write_text(text)
    return read_settings(pytester.parseconfig(arm, *args))


def refused(pytester: pytest.Pytester, *args: str, **places: str) -> str:
    with pytest.raises(SettingsError) as caught:
        settings(pytester, *args, **places)
    return str(caught.value)


def test_the_defaults_are_the_documented_ones(pytester: pytest.Pytester) -> None:
    got = settings(pytester)
    assert [(spec.name, spec.family) for spec in got.arms] == [("tools", "tools")]
    assert (got.corpus, got.shipped) == (shipped_corpus(), True)
    pytester.mkdir("corpus")
    got = settings(pytester)
    assert (got.corpus, got.shipped) == (pytester.path / "corpus", False)
    assert got.runs == pytester.path / ".reviewbench" / "runs"
    assert (got.cases, got.split, got.reps, got.jobs, got.timeout) == ((), "test", (1,), 4, 1500.0)
    assert got.agent_home == "private"
    assert (got.offline, got.verify, got.fail_on_miss, got.gates) == (False, True, False, ())


def test_every_option_stands_in_the_table_of_the_docs() -> None:
    text = (Path(__file__).parents[2] / "docs" / "pytest.md").read_text(encoding="utf-8")
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `--")]
    named = set(re.findall(r"--reviewbench-[a-z-]+", "".join(cells)))
    assert named == {option.flagged for option in OPTIONS}


def test_a_base_that_is_no_name_is_blamed_on_its_table(pytester: pytest.Pytester) -> None:
    table = '[tool.reviewbench.arms.g2]\nfamily = "perun-gap"\nbase = "no name"'
    said = refused(pytester, arm="--reviewbench-arm=g2", table=table)
    assert "[tool.reviewbench.arms.g2] base: 'no name' is not an arm name" in said


PLACES: list[tuple[str, Any, Any, Any]] = [
    # name, a value, what it becomes, another value
    ("jobs", "7", 7, "9"),
    ("timeout", "2.5", 2.5, "3"),
    ("split", "train", "train", "all"),
    ("reps", "2", (1, 2), "3"),
    ("case", ["py-1"], ("py-1",), ["py-2"]),
    ("agent-home", "inherit", "inherit", "private"),
    ("offline", True, True, None),
    ("fail-on-miss", True, True, None),
    ("retries", "0", 0, "3"),
    ("per-agent", "3", 3, "9"),
    ("max-cost", "2.5", 2.5, "9"),
    ("max-minutes", "30", 30.0, "9"),
]


@pytest.mark.parametrize(("name", "value", "becomes", "other"), PLACES, ids=[place[0] for place in PLACES])
def test_the_command_line_beats_the_ini_file_and_that_beats_the_table(
    pytester: pytest.Pytester, name: str, value: Any, becomes: Any, other: Any
) -> None:
    key = name.replace("-", "_")
    words = [value] if isinstance(value, str) else value
    line = [f"--reviewbench-{name}"] if value is True else [f"--reviewbench-{name}={word}" for word in words]
    ini = f"reviewbench_{key} = {json.dumps(value)}"

    def got(*args: str, **places: str) -> Any:
        return getattr(settings(pytester, *args, **places), "cases" if name == "case" else key)

    assert got(*line) == becomes
    assert got(ini=ini) == becomes
    for spelling in {key, name}:
        assert got(table=f"{spelling} = {json.dumps(value)}") == becomes
    low = json.dumps(False if value is True else other)
    assert got(ini=ini, table=f"{key} = {low}") == becomes
    assert got(*line, ini=f"reviewbench_{key} = {low}", table=f"{key} = {low}") == becomes
    if value is not True:
        assert got(f"-oreviewbench_{key}={words[0]}", ini=f"reviewbench_{key} = {low}") == becomes


def test_money_is_unbounded_and_refused_sessions_are_tried_twice_more_unless_said_otherwise(
    pytester: pytest.Pytester,
) -> None:
    got = settings(pytester)
    assert (got.retries, got.per_agent, got.max_cost, got.max_minutes, got.dry_run) == (2, None, None, None, False)
    assert settings(pytester, "--reviewbench-dry-run").dry_run


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("retries=-1", "expected a whole number from 0 to 20, got '-1'"),
        ("retries=21", "expected a whole number from 0 to 20, got '21'"),
        ("per-agent=0", "expected a whole number from 1 to 10000, got '0'"),
        ("max-cost=0", "expected USD above 0, got '0'"),
        ("max-cost=nan", "expected USD above 0, got 'nan'"),
        ("max-minutes=soon", "expected minutes above 0, got 'soon'"),
    ],
)
def test_a_bound_that_means_nothing_is_refused(pytester: pytest.Pytester, line: str, said: str) -> None:
    assert refused(pytester, f"--reviewbench-{line}") == f"--reviewbench-{line.partition('=')[0]}: {said}"


def test_only_the_command_line_makes_a_run_dry(pytester: pytest.Pytester) -> None:
    assert "has no key 'dry-run'" in refused(pytester, table="dry-run = true")


def test_a_number_in_the_table_needs_no_quotes(pytester: pytest.Pytester) -> None:
    assert settings(pytester, table="jobs = 7\ntimeout = 2.5\nreps = 3").reps == (1, 2, 3)


def test_no_verify_turns_the_verifier_off(pytester: pytest.Pytester) -> None:
    assert settings(pytester, "--reviewbench-no-verify").verify is False
    assert settings(pytester, table="no-verify = true").verify is False


@pytest.mark.parametrize(
    ("text", "reps"),
    [("1", (1,)), ("3", (1, 2, 3)), ("2,5", (2, 5)), ("5,2", (2, 5)), ("2,", (2,)), (" 2 , 5 ", (2, 5))],
)
def test_reps_are_a_number_or_a_list(pytester: pytest.Pytester, text: str, reps: tuple[int, ...]) -> None:
    assert settings(pytester, f"--reviewbench-reps={text}").reps == reps


@pytest.mark.parametrize(
    "text", ["0", "-1", "x", "", ",", "2,2", "0,1", "1001", "1,1001", "2,,5", "1.5", "999999999"]
)
def test_reps_that_mean_nothing_are_refused(pytester: pytest.Pytester, text: str) -> None:
    said = refused(pytester, f"--reviewbench-reps={text}")
    assert said.startswith(f"--reviewbench-reps: {text!r} is neither a number of repetitions (3) nor a list")


@pytest.mark.parametrize("text", ["recall_strict=0.2", " recall_strict = .2", "recall_strict=2e-1"])
def test_a_gate_without_an_arm_is_for_every_arm(pytester: pytest.Pytester, text: str) -> None:
    (gate,) = settings(pytester, f"--reviewbench-fail-under={text}").gates
    assert (gate.side, gate.arm, gate.name, gate.bound) == ("under", None, "recall_strict", 0.2)


def test_a_gate_may_name_its_arm_and_there_may_be_many(pytester: pytest.Pytester) -> None:
    args = ("--reviewbench-fail-under=tools:recall_strict=0", "--reviewbench-fail-under=x.y:precision_strict=1")
    gates = settings(pytester, *args, "--reviewbench-fail-over=cost_usd=2.5").gates
    assert [(gate.side, gate.arm, gate.name, gate.bound) for gate in gates] == [
        ("under", "tools", "recall_strict", 0.0),
        ("under", "x.y", "precision_strict", 1.0),
        ("over", None, "cost_usd", 2.5),
    ]


@pytest.mark.parametrize("text", ["recall_strict", "=1", "recall_strict=", ":recall=1", "a=b", "a=nan", "a=inf"])
def test_a_gate_that_cannot_be_read_says_how_one_looks(pytester: pytest.Pytester, text: str) -> None:
    said = refused(pytester, f"--reviewbench-fail-over={text}")
    assert said.startswith(f"--reviewbench-fail-over: {text!r} is not [ARM:]NAME=VALUE, as in recall_strict=0.2")


@pytest.mark.parametrize(
    ("args", "places", "said"),
    [
        (("--reviewbench-jobs=0",), {}, "--reviewbench-jobs: expected a whole number from 1 to 10000, got '0'"),
        ((), {"ini": "reviewbench_jobs = 'many'"}, "ini value reviewbench_jobs: expected a whole number"),
        ((), {"table": "jobs = -1"}, "[tool.reviewbench] jobs: expected a whole number"),
        (("--reviewbench-timeout=nan",), {}, "--reviewbench-timeout: expected seconds above 0, got 'nan'"),
        ((), {"table": "timeout = 0"}, "[tool.reviewbench] timeout: expected seconds above 0"),
        (("--reviewbench-split=tests",), {}, "expected one of test, train, all, got 'tests'; did you mean 'test'?"),
        (("--reviewbench-agent-home=real",), {}, "--reviewbench-agent-home: expected one of private, inherit, got"),
        ((), {"table": "job = 3"}, "[tool.reviewbench] has no key 'job'; did you mean 'jobs'?"),
        ((), {"table": "fail_undr = []"}, "has no key 'fail_undr'; did you mean 'fail-under'?"),
        ((), {"table": "arm = 'tools'"}, "[tool.reviewbench] has no key 'arm'"),
        ((), {"table": "offline = 'yes'"}, "[tool.reviewbench] offline: expected true or false, got 'yes'"),
        ((), {"table": "case = 3"}, "[tool.reviewbench] case: expected a string or a list of strings, got 3"),
        ((), {"table": "runs = ''"}, "[tool.reviewbench] runs: expected a path, got ''"),
        ((), {"table": "arms = 3"}, "[tool.reviewbench.arms.tools] must be a table"),
        ((), {"table": "[tool.reviewbench.arms]\ntools = 3"}, "[tool.reviewbench.arms.tools] must be a table"),
        (("--reviewbench-arm=tools",), {}, "--reviewbench-arm: 'tools' was given twice"),
        ((), {"arm": "--reviewbench-arm=../x"}, "--reviewbench-arm: '../x' is not an arm name"),
        ((), {"arm": "--reviewbench-arm=a.r2"}, "not ending in .twin or .rN"),
        ((), {"arm": f"--reviewbench-arm={'a' * 65}"}, "is not an arm name"),
    ],
)
def test_a_value_that_cannot_be_used_is_named_with_its_place(
    pytester: pytest.Pytester, args: tuple[str, ...], places: dict[str, str], said: str
) -> None:
    assert said in refused(pytester, *args, **places)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("familly = 'command'", "has no key 'familly'; did you mean 'family'?"),
        ("argv = 'lint'", "argv: expected a list of strings, got 'lint'"),
        ("argv = []", "argv: expected a list of strings, got []"),
        ("argv = ['a', 1]", "argv: expected a list of strings"),
        ("ok_exit = [0, 256]", "ok_exit: expected exit codes from 0 to 255"),
        ("ok_exit = true", "ok_exit: expected exit codes from 0 to 255"),
        ("scope = 'lines'", "scope: expected 'hunks' or 'file', got 'lines'"),
        ("model = 3", "model: expected a string, got 3"),
        ("lang = [3]", "lang: expected a list of strings, got [3]"),
    ],
)
def test_an_arms_table_is_checked_key_by_key(pytester: pytest.Pytester, key: str, said: str) -> None:
    told = refused(pytester, table=f"[tool.reviewbench.arms.tools]\n{key}")
    assert f"[tool.reviewbench.arms.tools] {said}" in told


def test_an_arm_is_what_its_table_says(pytester: pytest.Pytester) -> None:
    keys = "family = 'command'\nargv = ['lint', '{patch}']\nok_exit = 1\nlang = 'python'\nscope = 'hunks'"
    (spec,) = settings(pytester, table=f"[tool.reviewbench.arms.tools]\n{keys}").arms
    assert (spec.name, spec.family) == ("tools", "command")
    assert spec.given() == {"argv": ("lint", "{patch}"), "ok_exit": (1,), "lang": ("python",), "scope": "hunks"}


def test_a_table_that_is_no_toml_is_one_error(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\n")  # so that pytest itself does not read the other file
    (pytester.path / "pyproject.toml").write_text("[tool.reviewbench\n")
    with pytest.raises(pytest.UsageError, match=r"pyproject\.toml: cannot be read: "):
        pytester.parseconfig("--reviewbench-arm=tools", "-c", "tox.ini")


def test_every_option_is_explained_in_the_help(pytester: pytest.Pytester) -> None:
    helped = " ".join(pytester.runpytest_inprocess("--help").stdout.str().split())
    for option in OPTIONS:
        assert f"--reviewbench-{option.name}" in helped
        assert ("reviewbench_" + option.name.replace("-", "_") in helped) is option.configurable
