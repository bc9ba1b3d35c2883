"""The same reviewer on the fixed version: what it may cost is evidence, never the review."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import pytest

from pytest_reviewbench.arm_spec import ArmSpec
from pytest_reviewbench.arms.protocol import Answer, BuiltArm, Disclosure, NotAttempted, Question
from pytest_reviewbench.contain.process import Cancelled
from pytest_reviewbench.corpus.patch import Patch
from pytest_reviewbench.corpus.shown import Shown
from pytest_reviewbench.errors import NoTwin, ReviewFailed
from pytest_reviewbench.model import Bug, Case, Evidence, Finding, Matches, Meta, Pin, Source, Truth
from pytest_reviewbench.rerun import NOT_ASKED, Rerun, rerun_on_fixed

PIN = Pin(version="1", filename="x-1.tgz", sha256="0" * 64)
SOURCE = Source(ecosystem="npm", package="x", buggy=PIN, fixed=PIN, files=("a.py",), mode="reverse-fix")
CASE = Case(
    id="py-1",
    split="test",
    folder="/nowhere",
    meta=Meta(lang="python", source=SOURCE),
    truth=Truth(bugs=(Bug(match="x", id="b1"),)),
)
FINDINGS = (
    Finding(id="f1", file="a.py", line=2, text="the bug"),
    Finding(id="f2", file="a.py", line=3, text="something else"),
)
SAID = ({"file": "a.py", "line": 4, "text": "something else"},)


@dataclass
class Reviewer:
    """An arm that gives `answer`, or raises it, and keeps what it was asked."""

    answer_: Answer | BaseException
    reruns_on_fixed: bool = True
    disclosure: Disclosure = field(default_factory=Disclosure)
    asked: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    scope = "hunks"
    versions: ClassVar[Mapping[str, str | None]] = {}

    def answer(self, question: Question) -> Answer:
        assert question.tree is not None
        self.asked.append((question.files, (question.tree / "a.py").read_text()))
        if isinstance(self.answer_, BaseException):
            raise self.answer_
        return self.answer_


@pytest.fixture
def again(tmp_path: Path) -> Callable[..., Rerun]:
    """`again(reviewer, ...)`: what comes of asking it about a tree in which the fix has put two lines on top."""

    def shown(name: str, text: str, patch: Patch) -> Shown:
        files = {}
        for path in ("a.py", "b.py"):
            files[path] = tmp_path / name / path
            files[path].parent.mkdir(exist_ok=True)
            files[path].write_text(text)
        return Shown(patch_bytes=b"", patch=patch, tree=files, bugs=(), fix_places=None)

    buggy = shown("buggy", "one\ntwo\nthree\n", Patch({"a.py": ((1, 2),), "b.py": ()}))
    fixed = shown("fixed", "new\none\nfixed\nthree\n", Patch({"a.py": ((1, 1),)}))

    def run(
        reviewer: Reviewer, case: Case = CASE, findings: tuple[Finding, ...] = FINDINGS, **keys: object
    ) -> Rerun:
        values: dict[str, object] = {
            "show": lambda asked: fixed if asked.id == "py-1.twin" else buggy,
            "answering": contextlib.nullcontext,
            "within": tmp_path,
            "clock": itertools.count(10).__next__,
        }
        built = BuiltArm(ArmSpec(name="x", family="x"), reviewer)  # type: ignore[arg-type]
        return rerun_on_fixed(built, case, buggy, Answer(), findings, **{**values, **keys})  # type: ignore[arg-type]

    return run


def test_what_the_fixed_version_still_has_is_not_gone(again: Callable[..., Rerun]) -> None:
    reviewer = Reviewer(Answer(items=SAID))
    assert again(reviewer) == Rerun({"f1": True, "f2": False}, seconds=1)
    # All files of the case's change are looked at, also those that the fixed version leaves as they were before.
    assert reviewer.asked == [(("a.py", "b.py"), "new\none\nfixed\nthree\n")]


def test_nobody_is_shown_a_fix_who_did_not_ask_for_it(again: Callable[..., Rerun]) -> None:
    for reviewer in (
        Reviewer(Answer(), reruns_on_fixed=False),
        Reviewer(Answer(), disclosure=Disclosure(agent="claude")),  # holds AI sessions, whatever it asks for
    ):
        assert again(reviewer) == NOT_ASKED
        assert reviewer.asked == []


def test_without_findings_or_a_pinned_fix_nothing_is_run(again: Callable[..., Rerun]) -> None:
    reviewer = Reviewer(Answer())
    assert again(reviewer, findings=()) == NOT_ASKED
    clean = Case(id="py-1", split="test", folder="/nowhere", meta=CASE.meta, truth=Truth(bugs=()))
    committed = Case(id="py-1", split="test", folder="/nowhere", meta=Meta(lang="python"), truth=CASE.truth)
    twin = CASE.twin
    for case in (clean, committed, twin):
        assert again(reviewer, case=case) == NOT_ASKED

    def show(asked: Case) -> Shown:
        raise NoTwin("none")

    assert again(reviewer, show=show) == NOT_ASKED
    assert reviewer.asked == []


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (ReviewFailed("analyser", "ruff ended with exit code 2"), "ruff ended with exit code 2"),
        (NotAttempted("no changed file can be analysed"), "no changed file can be analysed"),
        (Cancelled("stopped"), "the session ended"),
        (ZeroDivisionError("x"), "ZeroDivisionError"),
        (Answer(unparsable="no JSON"), "no JSON"),
        (Answer(warnings=("not reviewed: a.py",)), "not reviewed: a.py"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_rerun_that_fails_leaves_the_evidence_open(
    again: Callable[..., Rerun], answer: Answer | Exception, trouble: str
) -> None:
    assert again(Reviewer(answer)) == Rerun(seconds=1, trouble=trouble)


def test_evidence_is_added_beside_what_is_there() -> None:
    matches = Matches(
        case="py-1",
        lang="python",
        matcher_version=1,
        bugs=(),
        hits={},
        evidence={"f1": Evidence(touches_fix=True), "f2": Evidence()},
    )
    added = Rerun({"f1": True}, seconds=0.5).added_to(matches)
    assert added.evidence == {"f1": Evidence(touches_fix=True, gone_when_fixed=True), "f2": Evidence()}
    assert added.rerun_seconds == 0.5
    assert NOT_ASKED.added_to(matches) == matches
