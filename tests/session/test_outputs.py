"""What a session leaves behind and prints: the same numbers everywhere, and no word of the truth anywhere."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.samples import (
    BUG,
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
REPORTS = ("--junitxml=junit.xml", "--json-report", "--json-report-file=report.json")
CASES = {
    "c1": f"say {json.dumps([HIT, OTHER])}",
    "c2": "say []",
    "c3": "exit 3",
    "c4": "say nothing that is JSON",
    "c5": f"say {json.dumps([HIT])}",
}


def write_cases(folder: Path) -> None:
    for case, acts in CASES.items():
        write_acting_case(folder / "corpus", case, acts, bugs=[] if case == "c5" else [BUG])
    write_project(folder, {"arm": obedient(folder)})


def junit_cases(file: Path) -> dict[str, dict[str, str]]:
    """The properties of every testcase of a JUnit file, by the case that they name."""
    found = {}
    for testcase in ElementTree.parse(file).iter("testcase"):
        properties = {p.attrib["name"]: p.attrib["value"] for p in testcase.iter("property")}
        found[properties["reviewbench.case"]] = properties | {
            "": f"{testcase.get('classname')} {testcase.get('name')}"
        }
    return found


def suite_properties(file: Path) -> dict[str, str]:
    (suite,) = ElementTree.parse(file).iter("testsuite")
    return {p.attrib["name"]: p.attrib["value"] for p in suite.findall("properties/property")}


@MODES
def test_every_case_and_every_number_is_the_same_in_terminal_report_junit_and_json_report(
    pytester: pytest.Pytester, mode: tuple[str, ...]
) -> None:
    write_cases(pytester.path)
    result = pytester.runpytest_inprocess("--reviewbench-arm=arm", *REPORTS, *mode)
    result.assert_outcomes(passed=3, failed=2)
    told = report(pytester.path)
    numbers = told["arms"]["arm"]["numbers"]
    expected = {
        "ok": 3,
        "error": 1,
        "unparsable": 1,
        "bugs": 2,
        "bugs_hit": 1,
        "findings": 3,
        "findings_matched": 1,
    }
    assert numbers.items() >= expected.items()
    assert (numbers["recall_strict"], numbers["false_alarms_clean"]) == (0.5, 1.0)

    # every case in all three places
    stored = records(pytester.path)
    junit = junit_cases(pytester.path / "junit.xml")
    as_json = json.loads((pytester.path / "report.json").read_text())
    in_json = {}
    for test in as_json["tests"]:
        properties = {key: value for pair in test["user_properties"] for key, value in pair.items()}
        in_json[properties["reviewbench.case"]] = properties
    assert set(stored) == set(junit) == set(in_json) == {row["case"] for row in told["arms"]["arm"]["cases"]}
    for case, record in stored.items():
        assert junit[case][""] == f"corpus.manifest.json.{case} arm"
        for name, value in {
            "case": case,
            "arm": "arm",
            "rep": 1,
            "status": record["status"],
            "findings_count": len(record["findings"]),
            "cost_usd": record["cost_usd"],
            "seconds": record["seconds"],
        }.items():
            assert in_json[case][f"reviewbench.{name}"] == value
            assert junit[case][f"reviewbench.{name}"] == str(value)
        listed = json.loads(junit[case]["reviewbench.findings"])
        assert listed == json.loads(in_json[case]["reviewbench.findings"])
        assert [(f["id"], f["line"], f["text"]) for f in listed] == [
            (f["id"], f["line"], f["text"]) for f in record["findings"]
        ]

    # equal numbers in all of them
    suite = suite_properties(pytester.path / "junit.xml")
    assert {name: json.loads(suite[f"reviewbench.arm.{name}"]) for name in numbers} == numbers
    assert suite["reviewbench.corpus_sha256"] == told["corpus_sha256"]
    assert as_json["reviewbench"] == told
    result.stdout.fnmatch_lines(["  arm       1/2   0.500      1/3      0.333 *     1/1"])
    result.stdout.fnmatch_lines(["  arm   3           1      1        0              0        0        0        0"])
    assert "1/2 |" in (pytester.path / ".reviewbench" / "runs" / "report.md").read_text()
    (run,) = runs(pytester.path)
    result.stdout.fnmatch_lines(
        [
            f"run .reviewbench/runs/{run.name}",
            "report .reviewbench/runs/report.json, *, .reviewbench/runs/report.html",
        ]
    )


@MODES
def test_a_run_folder_holds_what_was_promised_and_nothing_half_done(
    pytester: pytest.Pytester, mode: tuple[str, ...]
) -> None:
    write_cases(pytester.path)
    pytester.runpytest_inprocess("--reviewbench-arm=arm", *mode)
    (run,) = runs(pytester.path)
    assert re.fullmatch(r"arm-1-\d{8}T\d{6}Z", run.name)
    files = {path.relative_to(run).as_posix() for path in run.rglob("*") if path.is_file()}
    answered = [case for case in CASES if case != "c3"]
    assert files == {
        "COMPLETE",
        "manifest.json",
        *(f"reviews/{case}.json" for case in CASES),
        *(f"matches/{case}.json" for case in CASES),
        *(f"answers/{case}.txt" for case in answered),
    }
    assert (run / "answers" / "c4.txt").read_text() == "nothing that is JSON\n"
    assert {path.name for path in run.parent.iterdir()} == {run.name, "report.json", "report.md", "report.html"}
    assert (run.parent.parent / ".gitignore").read_text() == "*\n"
    manifest = json.loads((run / "manifest.json").read_text())
    assert manifest["cases"] == sorted(CASES)
    assert (manifest["arm"], manifest["rep"], manifest["split"], manifest["scope"]) == ("arm", 1, "test", "file")
    assert manifest["arguments"] == obedient(pytester.path)["argv"]
    for file in files:
        if file.endswith(".json"):
            assert json.loads((run / file).read_text())["schema"] == 1


def test_no_file_or_line_holds_a_word_of_the_truth(pytester: pytest.Pytester) -> None:
    secret = {
        **BUG,
        "bug": "xylophone in the mechanism",
        "match": "zither|xyl[o]phone",
        "example": "a zither",
        "category": "quintessence",
    }
    write_acting_case(pytester.path / "corpus", "c1", "say []", bugs=[secret])
    write_acting_case(pytester.path / "corpus", "c2", "exit 3", bugs=[secret])
    write_acting_case(
        pytester.path / "corpus", "c3", 'say [{"text": "a Zither", "file": "pkg/a.py"}]', bugs=[secret]
    )
    write_project(pytester.path, {"arm": obedient(pytester.path)})
    args = ("--reviewbench-arm=arm", "--reviewbench-fail-on-miss", "-vv", "-ra", *REPORTS)
    result = pytester.runpytest_subprocess(*args)
    result.assert_outcomes(passed=1, failed=2)
    places = [result.stdout.str(), result.stderr.str()]
    places += [path.read_text() for path in (pytester.path / ".reviewbench").rglob("*") if path.is_file()]
    places += [(pytester.path / name).read_text() for name in ("junit.xml", "report.json")]
    for text in places:
        for word in ("xylophone", "zither|", "xyl[o]", "a zither", "quintessence", "mechanism"):
            assert word not in text
    assert any("a Zither" in text for text in places), "what a reviewer says is no secret"


def test_equal_sessions_write_equal_files_but_for_the_named_fields(pytester: pytest.Pytester) -> None:
    write_cases(pytester.path)
    for _ in range(2):
        pytester.runpytest_inprocess("--reviewbench-arm=arm")
    volatile = {"started", "seconds", "cost_usd", "usage", "versions", "environment"}

    def stable(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: stable(inner) for key, inner in value.items() if key not in volatile}
        return [stable(inner) for inner in value] if isinstance(value, list) else value

    first, second = (
        {path.relative_to(run): stable(json.loads(path.read_text())) for path in run.rglob("*.json")}
        for run in runs(pytester.path)
    )
    assert first == second
    assert len(first) == 1 + 2 * len(CASES)


def test_findings_beyond_the_cap_stay_in_the_run_folder_and_are_counted(pytester: pytest.Pytester) -> None:
    write_case(pytester.path / "corpus", "py-1")
    many = "import json; print(json.dumps([{'text': f'{n}: ' + 'é<&' * 300} for n in range(50)]))"
    write_project(pytester.path, {"arm": {"family": "command", "argv": ["python3", "-c", many]}})
    pytester.runpytest_inprocess("--reviewbench-arm=arm", *REPORTS).assert_outcomes(passed=1)
    properties = junit_cases(pytester.path / "junit.xml")["py-1"]
    assert properties["reviewbench.findings_count"] == "50"
    assert len(properties["reviewbench.findings"]) <= 16_000
    *listed, last = json.loads(properties["reviewbench.findings"])
    assert last == {"omitted": 50 - len(listed)}
    assert len(listed) > 5
    assert len(records(pytester.path)["py-1"]["findings"]) == 50


def test_control_characters_of_a_reviewer_reach_no_output(pytester: pytest.Pytester) -> None:
    write_case(pytester.path / "corpus", "py-1")
    write_case(pytester.path / "corpus", "py-2")
    nasty = [{"text": "red \x1b[31m bell \x07 nul \x00 half \ud800", "file": "pkg/a.py\x1b]0;title\x07", "line": 2}]
    shout = "import sys; sys.stderr.write('\\x1b[31mno\\x00\\x07'); sys.exit(3)"
    arms = {"arm": say(nasty), "bad": {"family": "command", "argv": ["python3", "-c", shout]}}
    write_project(pytester.path, arms)
    args = ("--reviewbench-arm=arm", "--reviewbench-arm=bad", "-vv", *REPORTS)
    result = pytester.runpytest_inprocess(*args)
    result.assert_outcomes(passed=2, failed=2)
    texts = [result.stdout.str(), (pytester.path / "junit.xml").read_text()]
    texts += [path.read_text() for path in pytester.path.glob(".reviewbench/runs/report.*")]
    for text in texts:
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", text)
    ElementTree.parse(pytester.path / "junit.xml")


@pytest.mark.parametrize(("args", "tables"), [(("-q",), 1), ((), 6), (("-v",), 6)], ids=["q", "", "v"])
def test_q_prints_the_headline_alone_and_every_line_fits_100_columns(
    pytester: pytest.Pytester, args: tuple[str, ...], tables: int
) -> None:
    write_cases(pytester.path)
    result = pytester.runpytest_inprocess("--reviewbench-arm=arm", *args)
    lines = result.outlines[next(n for n, line in enumerate(result.outlines) if "review benchmark" in line) :]
    summary = lines[: next(n for n, line in enumerate(lines) if line.startswith("report .reviewbench")) + 1]
    assert max(map(len, summary)) <= 100
    assert sum(line.startswith("  arm") and "  " in line for line in summary) >= tables
    assert any(line.startswith("Bugs found") for line in summary)
    assert ("By case" in summary) is (args != ("-q",))


def test_an_item_that_passed_does_not_hide_a_gate_that_fell(pytester: pytest.Pytester) -> None:
    write_cases(pytester.path)
    args = ("--reviewbench-arm=arm", "--reviewbench-case=c2", "--reviewbench-fail-under=recall_strict=0.5")
    result = pytester.runpytest_inprocess(*args, "--json-report")
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["  fail-under recall_strict=0.5  arm *0    NO"])
    assert report(pytester.path)["gates"] == [
        {"arm": "arm", "gate": "fail-under recall_strict=0.5", "held": False, "said": "0", "value": 0.0}
    ]
    assert json.loads((pytester.path / ".report.json").read_text())["exitcode"] == 1


def test_two_sessions_in_one_folder_and_one_second_do_not_disturb_each_other(pytester: pytest.Pytester) -> None:
    for n in range(4):
        write_acting_case(pytester.path / "corpus", f"c{n}", f"log c{n}; sleep 0.2; say []")
    write_project(pytester.path, {"arm": obedient(pytester.path)})
    argv = [sys.executable, "-m", "pytest", "--reviewbench-arm=arm", "-p", "no:cacheprovider"]
    sessions = [
        subprocess.Popen([*argv, *extra], cwd=pytester.path, stdout=subprocess.DEVNULL)
        for extra in ((), (), ("-n", "2"))
    ]
    assert [session.wait(120) for session in sessions] == [0, 0, 0]
    made = runs(pytester.path)
    assert len(made) == 3
    for run in made:
        assert (run / "COMPLETE").exists()
        assert len(list((run / "reviews").iterdir())) == 4
    assert sorted(logged(pytester.path)) == sorted(f"c{n}" for n in range(4) for _ in sessions)
    assert report(pytester.path)["partial"] is False
    left = {path.name for path in (pytester.path / ".reviewbench" / "runs").iterdir()}
    assert left == {*(run.name for run in made), "report.json", "report.md", "report.html"}


def test_what_only_a_report_needs_is_not_imported_while_reviews_run(pytester: pytest.Pytester) -> None:
    write_case(pytester.path / "corpus", "py-1")
    write_project(pytester.path, {"echo": say([HIT])})
    pytester.makeconftest(
        """
        import sys
        from pathlib import Path
        import pytest

        HEAVY = {"numpy", "scipy", "krippendorff", "pyarrow", "jinja2", "typer", "yaml"}

        @pytest.hookimpl(wrapper=True)
        def pytest_runtestloop(session):
            ran = yield
            process = getattr(session.config, "workerinput", {}).get("workerid", "controller")
            Path(f"{process}.heavy").write_text(" ".join(sorted(HEAVY & sys.modules.keys())))
            return ran
        """
    )
    pytester.runpytest_subprocess("--reviewbench-arm=echo", "-n2").assert_outcomes(passed=1)
    said = {path.stem: path.read_text() for path in pytester.path.glob("*.heavy")}
    assert said == {"controller": "", "gw0": "", "gw1": ""}


def test_a_session_that_cannot_write_its_runs_spends_nothing(pytester: pytest.Pytester) -> None:
    write_acting_case(pytester.path / "corpus", "c1", "log c1; say []")
    write_project(pytester.path, {"arm": obedient(pytester.path)})
    (pytester.path / ".reviewbench").write_text("a file")
    for mode in ((), ("-n", "2")):
        result = pytester.runpytest_subprocess("--reviewbench-arm=arm", *mode)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["ERROR: *.reviewbench*cannot make a run folder: *"])
        assert result.stderr.str().count("\n") <= 2
        result.stdout.no_fnmatch_line("*review benchmark*")
    assert logged(pytester.path) == []


def test_a_case_listed_without_a_folder_is_skipped_and_counted_everywhere(pytester: pytest.Pytester) -> None:
    write_case(pytester.path / "corpus", "py-1")
    gone = write_case(pytester.path / "corpus", "test-0a1b2c3d4e")
    shutil.rmtree(gone)
    write_project(pytester.path, {"echo": say([HIT])})
    result = pytester.runpytest_inprocess("--reviewbench-arm=echo")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*1 of 1 cases (split test); 1 listed without a folder, skipped"])
    assert report(pytester.path)["absent"] == 1
    assert statuses(pytester.path) == {"py-1": "ok"}
