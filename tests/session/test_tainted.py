"""Sessions that looked beyond their task count for nothing; arms that say the same to the letter raise an alarm."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.samples import HIT, OTHER, report, runs, write_acting_case, write_project
from tests.session import scripted_claude
from tests.session.calls import reviewbench

FOUND = json.dumps([HIT])
TRUTH = "/corpus/py-0001/ground-truth.json"


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    scripted_claude.install(pytester.path / "bin")
    monkeypatch.setenv("PATH", f"{pytester.path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    write_project(pytester.path, {})
    return pytester.path


def record(project: Path, arm: str, case: str) -> dict[str, Any]:
    (run,) = [path for path in runs(project) if path.name.startswith(f"{arm}-1-")]
    found: dict[str, Any] = json.loads((run / "reviews" / f"{case}.json").read_text())
    return found


def test_a_tainted_review_is_in_no_denominator_and_has_its_own_column(
    pytester: pytest.Pytester, project: Path
) -> None:
    prose = f"say I ran git log and read {TRUTH} {FOUND}"  # no call
    write_acting_case(project / "corpus", "c1", prose)
    write_acting_case(project / "corpus", "c2", f"look {TRUTH}; look change.patch; say {FOUND}")
    write_acting_case(project / "corpus", "c3", f"denied {TRUTH}; say []")
    result = pytester.runpytest("--reviewbench-arm=plain")
    result.assert_outcomes(passed=3)
    tainted, refused = record(project, "plain", "c2"), record(project, "plain", "c3")
    assert (tainted["tainted"], tainted["taint"], tainted["status"]) == (True, [f"outside: Read {TRUTH}"], "ok")
    assert (refused["tainted"], refused["taint"], refused["refused"]) == (False, [], [f"outside: Read {TRUTH}"])
    assert not record(project, "plain", "c1")["tainted"]
    numbers = report(project)["arms"]["plain"]["numbers"]
    reviews = {name: numbers[name] for name in ("ok", "used", "tainted", "refused_looks", "judged")}
    assert reviews == {"ok": 3, "used": 2, "tainted": 1, "refused_looks": 1, "judged": 2}
    assert (numbers["bugs"], numbers["bugs_hit"]) == (2, 1)
    assert scripted_claude.judged(project / "bin") == [[HIT["text"]]]  # nobody pays for verdicts that do not count
    result.stdout.re_match_lines([r"\s+c2\s+python\s+tainted"])
    (run,) = runs(project)
    counted = reviewbench(project, "report", run.name, "--with-tainted", "--json")
    assert json.loads(counted.stdout)["arms"]["plain"]["numbers"]["bugs_hit"] == 2
    assert "TAINTED REVIEWS ARE COUNTED" in reviewbench(project, "report", run.name, "--with-tainted").stdout
    assert "ground-truth" not in result.stdout.str()


def test_a_tainted_first_pass_taints_the_gap(pytester: pytest.Pytester, project: Path) -> None:
    write_acting_case(project / "corpus", "c1", f"look {TRUTH}; say {FOUND}; second [] ")
    scripted = (project / "bin" / "claude").read_text()
    (project / "bin" / "claude").write_text(
        scripted.replace('word in ("look", "denied")', 'word == "look" and not second_pass')
    )
    pytester.runpytest("--reviewbench-arm=perun-gap", "--reviewbench-no-verify").assert_outcomes(passed=1)
    assert record(project, "perun-gap", "c1")["taint"] == [f"first pass: outside: Read {TRUTH}"]
    assert record(project, "perun-gap", "c1")["tainted"]


def test_two_arms_that_say_the_same_to_the_letter_raise_an_alarm(pytester: pytest.Pytester, project: Path) -> None:
    write_acting_case(project / "corpus", "c1", f"say {FOUND}; second {json.dumps([OTHER])}")
    write_acting_case(project / "corpus", "c2", "say []")
    arms = ("perun", "plain", "perun-gap")
    result = pytester.runpytest(*(f"--reviewbench-arm={arm}" for arm in arms), "--reviewbench-no-verify")
    result.assert_outcomes(passed=6)
    assert report(project)["same_answers"] == [{"case": "c1", "arms": ["perun", "plain"]}]
    said = "CONTAMINATION? perun and plain gave the very same answer to c1, to the letter"
    result.stdout.fnmatch_lines([said])
    assert said in (project / ".reviewbench" / "runs" / "report.md").read_text()
