"""Arms inside a session: what a program is given, what its answers become, and who may add one."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.samples import (
    HIT,
    OTHER,
    logged,
    obedient,
    records,
    report,
    runs,
    say,
    statuses,
    write_acting_case,
    write_case,
    write_project,
)

MODES = pytest.mark.parametrize("mode", [(), ("-n", "2")], ids=["in flight", "xdist"])
ONE_WORKER = pytest.mark.parametrize("mode", [(), ("-n", "1")], ids=["in flight", "one worker"])
EXAMPLE = Path(__file__).parent.parent / "example_package"

SPY = """\
import json, os, sys
def listing(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder)
                  for at, folders, files in os.walk(folder) for name in folders + files)
seen = {
    "argv": sys.argv[1:], "environ": dict(os.environ), "cwd": os.getcwd(), "stdin": sys.stdin.read(),
    "own": open("/proc/self/environ").read() + open("/proc/self/cmdline").read(),
    "descriptors": [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")
                    if os.path.exists(f"/proc/self/fd/{fd}")],
    "beside": listing(os.path.dirname(sys.argv[1])),
}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "seen.json"), "w") as file:
    json.dump(seen, file)
print("[]")
"""


@pytest.fixture(params=[(), ("-n", "1")], ids=["in flight", "one worker"])
def seen(request: pytest.FixtureRequest, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a program learns of the review of a case called `sneaky-7`, in a session full of secrets."""
    for name in ("ANTHROPIC_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "MY_PASSWORD", "SSH_AUTH_SOCK"):
        monkeypatch.setenv(name, "hush-hush-value")
    monkeypatch.setenv("REVIEWBENCH_ANYTHING", "hush-hush-value")
    temp = pytester.mkdir("temp")
    monkeypatch.setenv("TMPDIR", str(temp))
    spy = pytester.path / "spy.py"
    spy.write_text(SPY)
    write_case(pytester.path / "corpus", "sneaky-7", meta={"label": "telltale-label"})
    arm = {"family": "command", "argv": ["python3", str(spy), "{patch}", "{workspace}"]}
    write_project(pytester.path, {"spy": arm})
    result = pytester.runpytest_subprocess("--reviewbench-arm=spy", *request.param)
    result.assert_outcomes(passed=1)
    assert list(temp.iterdir()) == [], "the workspace is gone"
    return json.loads((pytester.path / "seen.json").read_text())


def test_a_reviewer_learns_neither_the_case_nor_a_secret_nor_that_this_is_a_test(seen: Any) -> None:
    everything = json.dumps(seen)
    for word in ("sneaky", "telltale", "hush-hush", "PYTEST", "REVIEWBENCH", "XDIST", "manifest.json"):
        assert word not in everything, word
    assert set(seen["environ"]) <= {"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"}
    assert seen["stdin"] == ""


def test_a_reviewer_sees_the_change_and_the_tree_in_a_private_folder(seen: Any) -> None:
    patch, tree = map(Path, seen["argv"])
    assert (patch.name, tree.name, patch.parent) == ("change.patch", "tree", tree.parent)
    assert seen["beside"] == ["change.patch", "home", "tree", "tree/pkg", "tree/pkg/a.py"]
    assert seen["cwd"] == seen["environ"]["HOME"] == str(patch.parent / "home")
    assert all(name.startswith(("pipe:", "/proc/", "/dev/")) for name in seen["descriptors"]), seen["descriptors"]


@MODES
def test_every_way_to_end_has_its_status_and_only_an_answer_can_miss(
    pytester: pytest.Pytester, mode: tuple[str, ...]
) -> None:
    corpus = pytester.path / "corpus"
    write_acting_case(corpus, "a-hit", f"say {json.dumps([HIT, OTHER])}")
    write_acting_case(corpus, "b-miss", "say []")
    write_acting_case(corpus, "c-exit", "say []; exit 3")
    write_acting_case(corpus, "d-prose", "say I found nothing of note.")
    write_acting_case(corpus, "e-slow", "sleep 60; say []")
    write_acting_case(corpus, "f-lang", "say []", lang="shell")
    write_acting_case(corpus, "g-clean", "say []", bugs=[])
    write_project(pytester.path, {"arm": {**obedient(pytester.path), "lang": ["python"]}})
    args = ("--reviewbench-arm=arm", "--reviewbench-timeout=3", "-rs", *mode)
    result = pytester.runpytest_inprocess(*args)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=3, failed=3, skipped=1)
    found = records(pytester.path)
    assert {case: (r["status"], r["error"] and r["error"]["kind"]) for case, r in found.items()} == {
        "a-hit": ("ok", None),
        "b-miss": ("ok", None),
        "c-exit": ("error", "exit"),
        "d-prose": ("unparsable", "unparsable"),
        "e-slow": ("error", "timeout"),
        "f-lang": ("not_attempted", "not_attempted"),
        "g-clean": ("ok", None),
    }
    numbers = report(pytester.path)["arms"]["arm"]["numbers"]
    assert (numbers["bugs"], numbers["bugs_hit"], numbers["findings"], numbers["clean"]) == (2, 1, 2, 1)
    assert (numbers["recall_strict"], numbers["recall_strict_all"]) == (0.5, 1 / 3)
    result.stdout.fnmatch_lines_random(
        [
            "*error (exit): python3 ended with exit code 3*",
            "*unparsable: *",
            "*error (timeout): python3 took over 3 s",
            "*this arm is for python, not for shell",
            "again: pytest --reviewbench-arm=arm * --reviewbench-case=e-slow",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


@MODES
def test_arms_and_reps_of_a_session_give_a_run_each_and_one_report(
    pytester: pytest.Pytester, mode: tuple[str, ...]
) -> None:
    for case in ("py-1", "py-2"):
        write_case(pytester.path / "corpus", case)
    write_project(pytester.path, {"echo": say([HIT]), "hush": say([])})
    args = ("--reviewbench-arm=echo", "--reviewbench-arm=hush", "--reviewbench-reps=2,5", *mode)
    result = pytester.runpytest_inprocess(*args, "-v")
    result.assert_outcomes(passed=8)
    made = [json.loads((run / "manifest.json").read_text()) for run in runs(pytester.path)]
    assert [(m["arm"], m["rep"], m["jobs"]) for m in made] == [
        (arm, rep, 2 if mode else 4) for arm in ("echo", "hush") for rep in (2, 5)
    ]
    assert all((run / "COMPLETE").exists() for run in runs(pytester.path))
    told = report(pytester.path)
    assert [(run["arm"], run["rep"]) for run in told["runs"]] == [
        ("echo", 2),
        ("echo", 5),
        ("hush", 2),
        ("hush", 5),
    ]
    assert list(told["arms"]["echo"]["by_rep"]) == ["2", "5"]
    numbers = {arm: told["arms"][arm]["numbers"] for arm in told["arms"]}
    assert {arm: (n["ok"], n["bugs"], n["recall_strict"]) for arm, n in numbers.items()} == {
        "echo": (4, 2, 1.0),
        "hush": (4, 2, 0.0),
    }
    for name in ("echo.r2", "echo.r5", "hush.r2", "hush.r5"):
        assert f"corpus/manifest.json::py-1::{name} " in result.stdout.str(), "an id that can be pasted"


def test_a_program_may_answer_in_a_file_with_any_exit_code_that_was_allowed(pytester: pytest.Pytester) -> None:
    write_case(pytester.path / "corpus", "py-1")
    program = "import sys; open(sys.argv[1], 'w').write(sys.argv[2]); print('chatter'); sys.exit(1)"
    argv = ["python3", "-c", program, "{output}", json.dumps({"findings": [HIT]})]
    arm = {"family": "command", "argv": argv, "ok_exit": [0, 1]}
    write_project(pytester.path, {"arm": arm, "strict": {**arm, "ok_exit": 0}})
    pytester.runpytest_inprocess("--reviewbench-arm=arm", "--reviewbench-arm=strict").assert_outcomes(
        passed=1, failed=1
    )
    numbers = {name: arm["numbers"] for name, arm in report(pytester.path)["arms"].items()}
    assert (numbers["arm"]["bugs_hit"], numbers["strict"]["error"]) == (1, 1)


def test_a_missing_answer_file_is_an_error_and_not_an_empty_review(pytester: pytest.Pytester) -> None:
    write_case(pytester.path / "corpus", "py-1")
    write_project(pytester.path, {"arm": {"family": "command", "argv": ["true", "{output}"]}})
    pytester.runpytest_inprocess("--reviewbench-arm=arm").assert_outcomes(failed=1)
    assert records(pytester.path)["py-1"]["error"]["kind"] == "output"


def test_scope_decides_which_findings_count_and_is_recorded(pytester: pytest.Pytester) -> None:
    code = "def last(items):\n    return items[len(items)]\n# end\n" + "#\n" * 40
    write_case(pytester.path / "corpus", "py-1", context={"pkg/a.py": code})
    far = {**OTHER, "line": 40}
    write_project(pytester.path, {"near": {**say([HIT, far]), "scope": "hunks"}, "all": say([HIT, far])})
    pytester.runpytest_inprocess("--reviewbench-arm=near", "--reviewbench-arm=all").assert_outcomes(passed=2)
    told = report(pytester.path)
    assert {run["arm"]: run["scope"] for run in told["runs"]} == {"near": "hunks", "all": "file"}
    assert {name: arm["numbers"]["findings"] for name, arm in told["arms"].items()} == {"near": 1, "all": 2}


def test_a_program_that_floods_its_output_is_an_error_of_this_review_alone(pytester: pytest.Pytester) -> None:
    write_acting_case(pytester.path / "corpus", "a1", "say []")
    flood = "import sys; [sys.stdout.write('x' * 1000000) for _ in range(20)]"
    write_project(pytester.path, {"arm": {"family": "command", "argv": ["python3", "-c", flood]}})
    pytester.runpytest_inprocess("--reviewbench-arm=arm").assert_outcomes(failed=1)
    assert records(pytester.path)["a1"]["error"]["kind"] == "output"


@pytest.mark.parametrize(
    ("arm", "table", "said"),
    [
        ("eco", {}, "there is no arm 'eco'; ready to use: perun, perun-gap, plain, tools;*"),
        (
            "arm",
            {"family": "comand"},
            "[tool.reviewbench.arms.arm] family: no family 'comand'; known: command, perun*",
        ),
        ("arm", {"family": "command"}, "[tool.reviewbench.arms.arm] argv: family 'command' needs it"),
        ("command", {}, "[tool.reviewbench.arms.command] argv: family 'command' needs it"),
        ("arm", {"family": "tools", "argv": ["x"]}, "*argv: family 'tools' does not take it; it takes *"),
        (
            "arm",
            {"family": "command", "argv": ["no-such-program-here"]},
            "*argv: no program 'no-such-program-here'*",
        ),
        ("arm", {"family": "command", "argv": ["true", "{pach}"]}, "*{pach} is not known; did you mean {patch}?"),
        ("arm", {"family": "command", "argv": ["true"], "output": "file"}, "*needs {output} in a word of argv"),
        (
            "arm",
            {"family": "command", "argv": ["true"], "output": "fil"},
            "*expected 'stdout' or 'file', got 'fil'",
        ),
    ],
)
def test_an_arm_that_cannot_be_built_is_one_line_and_exit_4(
    pytester: pytest.Pytester, arm: str, table: dict[str, Any], said: str
) -> None:
    write_case(pytester.path / "corpus", "py-1")
    write_project(pytester.path, {arm: table} if table else {})
    result = pytester.runpytest_inprocess(f"--reviewbench-arm={arm}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in result.errlines if line]
    pattern = said.replace("[", "[[]") if "[" in said else said
    result.stderr.fnmatch_lines([f"ERROR: *{pattern}"])
    assert line.startswith("ERROR: ")
    assert runs(pytester.path) == []


def installed(folder: Path) -> Path:
    """The example package as pip would leave it in a folder of packages: its modules and its entry point."""
    shutil.copytree(EXAMPLE / "reviewbench_grep", folder / "reviewbench_grep")
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    info = folder / "reviewbench_grep-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 1.0\n")
    points = [f"{name} = {place}" for name, place in project["entry-points"]["pytest11"].items()]
    (info / "entry_points.txt").write_text("\n".join(["[pytest11]", *points, ""]))
    return folder


@ONE_WORKER
def test_an_installed_package_adds_an_arm_family(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, mode: tuple[str, ...]
) -> None:
    packages = installed(pytester.mkdir("packages"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(packages), os.environ.get("PYTHONPATH", "")]))
    write_case(pytester.path / "corpus", "py-1")
    write_case(pytester.path / "corpus", "py-2", context={})
    write_project(pytester.path, {"look": {"family": "grep", "model": "items"}})
    pytester.runpytest_subprocess("--reviewbench-arm=look", *mode).assert_outcomes(passed=1, skipped=1)
    assert statuses(pytester.path) == {"py-1": "ok", "py-2": "not_attempted"}
    (run,) = runs(pytester.path)
    manifest = json.loads((run / "manifest.json").read_text())
    assert (manifest["family"], manifest["model"], manifest["versions"]) == ("grep", "items", {"grep": "1.0"})
    numbers = report(pytester.path)["arms"]["look"]["numbers"]
    assert (numbers["findings"], numbers["bugs_hit"], numbers["duplicates"]) == (2, 1, 1)
    assert (numbers["cost_usd"], numbers["cost_known"]) == (0, 1)
    bad = {"look": {"family": "grep", "model": "two words"}}
    write_project(pytester.path, bad)
    refused = pytester.runpytest_subprocess("--reviewbench-arm=look")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(["ERROR: *model: expected one word, got 'two words'"])


def test_a_family_that_takes_a_taken_name_is_refused_with_both_places(pytester: pytest.Pytester) -> None:
    write_case(pytester.path / "corpus", "py-1")
    pytester.makeconftest(
        "class Command:\n"
        "    name = 'command'\n"
        "def pytest_reviewbench_families(): return [Command()]\n"
    )  # fmt: skip
    result = pytester.runpytest_inprocess("--reviewbench-arm=tools")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: the arm family 'command' comes from pytest_reviewbench.arms.command and from conftest; remove one"]
    )


@ONE_WORKER
def test_a_bug_in_somebodys_arm_is_that_reviews_error(pytester: pytest.Pytester, mode: tuple[str, ...]) -> None:
    write_acting_case(pytester.path / "corpus", "a1", "fine")
    write_acting_case(pytester.path / "corpus", "a2", "raise")
    write_acting_case(pytester.path / "corpus", "a3", "nonsense")
    pytester.makeconftest(
        """
        from pytest_reviewbench.arms.protocol import Answer
        class Buggy:
            name = "buggy"
            keys = required = frozenset()
            scope = "file"
            versions = {}
            def build(self, spec, host):
                return self
            def answer(self, question):
                text = question.patch.read_text()
                if "act: raise" in text:
                    return {}["key\\n\\x1b[31m"]
                if "act: nonsense" in text:
                    return Answer(items=[7, None], cost_usd=float("nan"), raw="x")
                return Answer()
        def pytest_reviewbench_families():
            return [Buggy()]
        """
    )
    result = pytester.runpytest_inprocess("--reviewbench-arm=buggy", *mode)
    result.assert_outcomes(passed=1, failed=2)
    found = records(pytester.path)
    assert {case: r["status"] for case, r in found.items()}["a2"] == "error"
    assert found["a2"]["error"]["kind"] == "arm"
    assert found["a2"]["error"]["message"].startswith("KeyError: ")
    assert found["a1"]["status"] == "ok"
    assert found["a3"]["status"] in ("error", "unparsable")
    assert report(pytester.path)["partial"] is False


def test_a_bug_in_somebodys_family_names_the_arm_and_spends_nothing(pytester: pytest.Pytester) -> None:
    write_acting_case(pytester.path / "corpus", "a1", "log a1; say []")
    write_project(pytester.path, {"arm": obedient(pytester.path)})
    pytester.makeconftest("def pytest_reviewbench_families(): raise RuntimeError('no licence')\n")
    result = pytester.runpytest_inprocess("--reviewbench-arm=arm")
    assert result.ret != 0
    assert "no licence" in result.stdout.str() + result.stderr.str()
    assert logged(pytester.path) == []
