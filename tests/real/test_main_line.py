"""Cases of this repository's corpus, reviewed by the real analysers; `.ci/run` reviews all of them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.shared import made_once

ROOT = Path(__file__).parents[2]
CASES = ("js-0101", "js-0151", "py-0028", "py-0106", "py-0152", "sh-0001", "sh-0102")
"""Of each language, with hits, misses and two clean controls."""
MAIN = [
    sys.executable,
    "-m",
    "pytest",
    "-p",
    "no:randomly",
    "-p",
    "no:hypothesispytest",
    "--reviewbench-arm",
    "tools",
    "-n",
    "2",
    *(f"--reviewbench-case={case}" for case in CASES),
]


@pytest.fixture(scope="module")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runs, JUnit and json-report of the main line."""

    def make(folder: Path) -> None:
        reports = [f"--junitxml={folder}/junit.xml", "--json-report", f"--json-report-file={folder}/json.json"]
        run([*MAIN, *reports], folder)

    return made_once(tmp_path_factory, "main", make)


def run(argv: list[str], folder: Path) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [*argv, f"--reviewbench-runs={folder}/runs"], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (folder / "stdout.txt").write_text(done.stdout)
    return done.stdout


def test_every_selected_case_is_in_the_report_in_junit_and_in_json_report(first_run: Path) -> None:
    report = json.loads((first_run / "runs/report.json").read_text())
    assert {row["case"] for row in report["arms"]["tools"]["cases"]} == set(CASES)
    assert {row["status"] for row in report["arms"]["tools"]["cases"]} == {"ok"}
    suite = ElementTree.parse(first_run / "junit.xml").getroot()
    properties = [{p.get("name"): p.get("value") for p in case.iter("property")} for case in suite.iter("testcase")]
    assert {p["reviewbench.case"] for p in properties} == set(CASES)
    tests = json.loads((first_run / "json.json").read_text())["tests"]
    assert {dict(kv for p in t["user_properties"] for kv in p.items())["reviewbench.case"] for t in tests} == set(
        CASES
    )


def test_the_numbers_are_the_same_in_every_place(first_run: Path) -> None:
    report = json.loads((first_run / "runs/report.json").read_text())
    numbers = report["arms"]["tools"]["numbers"]
    suite = ElementTree.parse(first_run / "junit.xml").getroot()
    shown = {p.get("name"): p.get("value") or "" for p in suite.findall("testsuite/properties/property")}
    assert {name: json.loads(shown[f"reviewbench.tools.{name}"]) for name in numbers} == numbers
    assert json.loads((first_run / "json.json").read_text())["reviewbench"] == report
    headline = next(
        line for line in (first_run / "stdout.txt").read_text().splitlines() if line.startswith("  tools")
    )
    hit, recall, matched, precision = headline.split()[1:5]
    assert hit == f"{numbers['bugs_hit']}/{numbers['bugs']}"
    assert matched == f"{numbers['findings_matched']}/{numbers['findings']}"
    assert (recall, precision) == (f"{numbers['recall_strict']:.3f}", f"{numbers['precision_strict']:.3f}")


def test_the_readme_shows_the_headline_as_it_is_printed(first_run: Path) -> None:
    shown = (
        (ROOT / "README.md").read_text(encoding="utf-8").partition("```text\n")[2].partition("```")[0].splitlines()
    )
    printed = (first_run / "stdout.txt").read_text().splitlines()
    start = printed.index(shown[0])
    assert shown[1].split() == printed[start + 1].split()  # the figures move with the analysers' releases
    assert shown[2].split()[0] == "tools"


def test_the_analysers_hit_some_bugs_and_miss_some(first_run: Path) -> None:
    numbers = json.loads((first_run / "runs/report.json").read_text())["arms"]["tools"]["numbers"]
    assert 0 < numbers["bugs_hit"] < numbers["bugs"]
    assert numbers["clean"] == 2


@pytest.mark.skipif(
    shutil.which("unshare") is None or subprocess.run(["unshare", "-rn", "true"], check=False).returncode != 0,
    reason="needs `unshare -rn` (Linux with user namespaces) to take the network away",
)
def test_a_second_run_needs_no_network(first_run: Path, tmp_path: Path) -> None:
    run(["unshare", "-rn", *MAIN, "-p", "no:rerunfailures"], tmp_path)  # that plugin talks over loopback
    first, second = (json.loads((folder / "runs/report.json").read_text()) for folder in (first_run, tmp_path))
    for report in (first, second):
        numbers = report["arms"]["tools"]["numbers"]
        report["matched"] = {name: numbers[name] for name in ("bugs_hit", "findings", "findings_matched", "ok")}
    assert first["matched"] == second["matched"]
