"""A verifier measured on claims whose verdict is known."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pytest_reviewbench.calibrate.claims import Claim
from pytest_reviewbench.calibrate.measure import flips, negative, positive, rate, rows_of
from pytest_reviewbench.model import Verdict
from tests.samples import BUG, write_case, write_project
from tests.session import scripted_claude
from tests.session.calls import reviewbench

SECOND = BUG | {
    "id": "b2", "bug": "The name is wrong.", "match": "misnamed", "example": "last is misnamed",
    "paraphrases": ["the function is misnamed"],
}  # fmt: skip


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One case with a bug that the scripted judge knows by `off by one`, and one of two bugs."""
    scripted_claude.install(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    write_project(tmp_path, {})
    known = BUG | {"example": "an off by one: the loop reads past the end"}
    write_case(tmp_path / "corpus", "c1", split="train", bugs=(known,))
    write_case(tmp_path / "corpus", "c2", split="train", bugs=(known, SECOND))
    return tmp_path


def stored(project: Path) -> dict[str, object]:
    (file,) = (project / ".reviewbench" / "calibrations").glob("judge-claude-*/calibration.json")
    found: dict[str, object] = json.loads(file.read_text())
    return found


def test_a_judge_that_misses_a_bug_has_the_sensitivity_that_it_has(project: Path) -> None:
    done = reviewbench(project, "calibrate", "--verifier=judge:claude", "--corpus=corpus", "--repeats=2")
    assert done.returncode == 0, done.stderr
    made = stored(project)
    kinds = {kind: (one["claims"], one["value"]) for kind, one in made["kinds"].items()}  # type: ignore[attr-defined]
    # c2's second bug is never seen; its two neighbours are each asked about in turn
    assert kinds == {"example": (3, 2 / 3), "paraphrase": (1, 0), "generic": (6, 1), "neighbour": (3, 1)}
    assert (made["sessions"], made["errors"], made["flips"]) == (6, 0, 0)
    assert "past the end" not in done.stdout + json.dumps(made)
    texts = scripted_claude.judged(project / "bin")
    assert not [one for one in texts if {"last is misnamed", "the function is misnamed"} <= set(one)]


def test_a_bound_that_does_not_hold_fails_the_call(project: Path) -> None:
    call = ("calibrate", "--verifier=judge:claude", "--corpus=corpus", "--case=c1")
    held = reviewbench(project, *call, "--fail-under=sensitivity=1", "--fail-over=errors=0")
    assert held.returncode == 0, held.stdout + held.stderr
    broken = reviewbench(project, *call, "--fail-under=flips=0")
    assert broken.returncode == 1
    assert "flips is not measured, not at least 0" in broken.stdout


def test_a_session_that_fails_is_an_error_and_no_wrong_verdict(project: Path) -> None:
    scripted_claude.order(project / "bin", "say nothing of use")
    done = reviewbench(project, "calibrate", "--verifier=judge:claude", "--corpus=corpus", "--case=c1")
    assert done.returncode == 1
    made = stored(project)
    assert (made["errors"], made["claims"]) == (1, [])
    assert made["sensitivity"] == {"claims": 0, "high": None, "low": None, "value": None}


@pytest.mark.parametrize("bound", ["sensitivty=0.9", "sensitivity", "sensitivity=nan"])
def test_a_bound_that_cannot_be_read_is_one_line(project: Path, bound: str) -> None:
    done = reviewbench(project, "calibrate", "--corpus=corpus", f"--fail-under={bound}")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--fail-under" in done.stderr


def test_what_is_right_depends_on_the_kind_of_claim() -> None:
    same, real = Verdict(verdict="gt_same", bugs=("b1",)), Verdict(verdict="real")
    right = {kind: [Claim(kind, "c", "b1", 0, "f").right(v) for v in (same, real)] for kind in
             ("example", "paraphrase", "neighbour", "generic", "twin")}  # fmt: skip
    assert right == {
        "example": [True, False], "paraphrase": [True, False], "neighbour": [False, True], "generic": [False, True],
        "twin": [False, False],
    }  # fmt: skip
    assert not Claim("example", "c", "b2", 0, "f").right(same)


def test_repeats_of_a_claim_are_averaged_and_flips_counted() -> None:
    claim, other = Claim("example", "c", "b1", 0, "f"), Claim("generic", "c", None, 0, "g")
    same, real = Verdict(verdict="gt_same", bugs=("b1",)), Verdict(verdict="real")
    rows = rows_of([(claim, same), (claim, real), (other, real), (other, real)])
    assert rate(positive(rows)).value == 0.5
    assert rate(negative(rows)).value == 1
    assert flips(rows) == 0.5
