"""Whole pytest sessions with the real claude, its model a script on the loopback: reviews, verdicts, one report."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real.agent_programs import CLAUDE, Unavailable, installed
from tests.real.model_server import INPUT, Call, ModelServer, Request, Say, Step
from tests.samples import HIT, OTHER, PATCH, report, runs, write_case, write_project

CLEAN = PATCH.replace("len(items)]", "-1]")
KEY = f"planted-{secrets.token_hex(16)}"


class Reviewers(ModelServer):
    """A model that reviews in two passes: the first sees OTHER, the second HIT; without a skill it sees nothing.

    It loads the skill that it is told to use, unless that is called `stubborn`, and then reads the change. As a
    judge it takes HIT for the known bug, and OTHER for true in a change that has one.
    """

    def step(self, request: Request) -> Step:
        prompt = json.dumps(request.body["messages"][0])
        if "You judge findings" in prompt:
            return Say(json.dumps(self._verdicts(prompt)))
        told = re.search(r"Use the skill ([\w-]+)", prompt)
        name = None if told is None else told[1]
        calls = [Call("Skill", {"skill": f"local:{name}"})] if name not in (None, "stubborn") else []
        calls.append(Call("Read", {"file_path": "change.patch"}))
        if len(request.results) < len(calls):
            return calls[len(request.results)]
        if "This is a second pass" in prompt:
            return Say(json.dumps([HIT] if "items[len(items)]" in request.results[-1] else []))
        return Say("Nothing.\n[]" if name is None else f"I found:\n{json.dumps([OTHER])}")

    def _verdicts(self, prompt: str) -> list[dict[str, Any]]:
        buggy = "known bugs:" in prompt
        found = re.findall(r'{\\\\?"id\\\\?": \\\\?"(\w+)\\\\?".*?\\\\?"text\\\\?": \\\\?"(.*?)\\\\?"}', prompt)
        verdicts = []
        for name, text in found:
            verdict = "gt_same" if text == HIT["text"] else "real" if buggy else "not_a_bug"
            verdicts.append(
                {"id": name, "reason": "so it is", "verdict": verdict, "bugs": [1] if "gt" in verdict else []}
            )
        return verdicts


@pytest.fixture(scope="module")
def program() -> Path:
    """Found before `pytester` gives each test a HOME of its own, with no program in its cache."""
    try:
        return installed(CLAUDE)
    except Unavailable as e:
        pytest.skip(f"claude {CLAUDE.version} cannot be had here: {e}")


@pytest.fixture
def model(program: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reviewers]:
    """A project in `pytester.path` whose claude asks this model."""
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:randomly -p no:hypothesispytest")
    with Reviewers([]) as made:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", made.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        skills = {name: {"family": "perun", "skill": f"skills/{name}"} for name in ("careful", "stubborn")}
        write_project(pytester.path, skills, sandbox="auto")
        for name in skills:
            folder = pytester.path / "skills" / name
            folder.mkdir(parents=True)
            (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: reviews\n---\nLook.\n")
        write_case(pytester.path / "corpus", "c1")
        yield made


def judged(model: Reviewers) -> int:
    return sum("You judge findings" in str(request.body["messages"][0]) for request in model.asked)


def numbers(folder: Path, arm: str, *names: str) -> list[Any]:
    made = report(folder)["arms"][arm]["numbers"]
    return [made[name] for name in names]


def test_three_arms_are_reviewed_judged_and_reported_side_by_side(
    pytester: pytest.Pytester, model: Reviewers
) -> None:
    here = pytester.path
    write_case(
        here / "corpus", "c2", bugs=(), patch=CLEAN, context={"pkg/a.py": "def last(items):\n    return 1\n"}
    )
    arms = [f"--reviewbench-arm={arm}" for arm in ("perun", "perun-gap", "plain")]
    pytester.runpytest_subprocess(*arms, "-n", "2").assert_outcomes(passed=6)
    assert [(run["arm"], run["complete"]) for run in report(here)["runs"]] == [
        ("perun", True), ("perun-gap", True), ("plain", True),
    ]  # fmt: skip
    bugs = (
        "bugs_hit",
        "bugs",
        "findings",
        "recall_strict",
        "recall_adjudicated",
        "precision_verified",
        "trigger_rate",
    )
    assert numbers(here, "plain", *bugs) == [0, 1, 0, 0, 0, None, None]
    assert numbers(here, "perun", *bugs) == [0, 1, 2, 0, 0, 1 / 2, 1]  # OTHER is true in c1 and not in c2
    assert numbers(here, "perun-gap", *bugs) == [1, 1, 3, 1, 1, 2 / 3, 1]
    assert [numbers(here, arm, "false_alarms_clean") for arm in ("plain", "perun", "perun-gap")] == [[0], [1], [1]]
    assert judged(model) == 2  # one session per case for three arms
    spent = {
        run.name.rpartition("-1-")[0]: json.loads((run / "reviews" / "c1.json").read_text())["usage"]
        for run in runs(here)
    }
    assert [spent[arm]["input_tokens"] for arm in ("plain", "perun", "perun-gap")] == [
        2 * INPUT,
        3 * INPUT,
        6 * INPUT,
    ]
    assert len(model.asked) == 2 * (2 + 3 + 3) + 2
    assert not [path for path in here.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


def test_the_gap_alone_and_two_skills_side_by_side(pytester: pytest.Pytester, model: Reviewers) -> None:
    here = pytester.path
    both = ("--reviewbench-arm=perun", "--reviewbench-arm=perun-gap", "--reviewbench-no-verify")
    pytester.runpytest_subprocess(*both, "-k", "gap").assert_outcomes(passed=1, deselected=1)
    assert len(model.asked) == 3 + 3
    base = next(run for run in runs(here) if run.name.startswith("perun-1-"))
    before = {path: path.read_bytes() for path in base.rglob("*") if path.is_file()}
    pytester.runpytest_subprocess(*both[1:], f"--reviewbench-base={base}").assert_outcomes(passed=1)
    assert len(model.asked) == 3 + 3 + 3
    assert numbers(here, "perun-gap", "bugs_hit", "findings") == [1, 2]
    assert {path: path.read_bytes() for path in base.rglob("*") if path.is_file()} == before
    skills = ("--reviewbench-arm=careful", "--reviewbench-arm=stubborn", "--reviewbench-no-verify")
    result = pytester.runpytest_subprocess(*skills)
    result.assert_outcomes(passed=2)
    assert [numbers(here, arm, "trigger_rate") for arm in ("careful", "stubborn")] == [[1], [0]]
    assert "NEVER LOADED: stubborn" in " ".join(line.strip() for line in result.outlines)
