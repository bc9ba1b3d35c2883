"""Evidence from the fixed version: the same reviewer is asked again where the bug is not.

Whatever comes of that, the review itself stands.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pytest_reviewbench.answers.normalise import normalise
from pytest_reviewbench.arms.protocol import Answer, BuiltArm
from pytest_reviewbench.contain.process import Cancelled
from pytest_reviewbench.corpus.patch import Patch
from pytest_reviewbench.corpus.shown import Shown
from pytest_reviewbench.corpus.sources.align import changes
from pytest_reviewbench.corpus.sources.diff import lines_of
from pytest_reviewbench.errors import NoTwin, ReviewbenchError
from pytest_reviewbench.model import Case, Finding, Matches
from pytest_reviewbench.scoring.gone import Region, gone_when_fixed
from pytest_reviewbench.tasks.review import ask


@dataclass(frozen=True, slots=True)
class Rerun:
    """What the second answer says of each finding of the first (`gone`, by id), or the `trouble` that it had.

    `seconds` are those of the second answer alone; they are in no time of the review.
    """

    gone: Mapping[str, bool | None] = dataclasses.field(default_factory=dict)
    seconds: float | None = None
    trouble: str | None = None

    def added_to(self, matches: Matches) -> Matches:
        """`matches` with this evidence beside the other."""
        evidence = {
            name: msgspec.structs.replace(known, gone_when_fixed=self.gone.get(name))
            for name, known in matches.evidence.items()
        }
        return msgspec.structs.replace(matches, evidence=evidence, rerun_seconds=self.seconds)


NOT_ASKED = Rerun()


def rerun_on_fixed(
    built: BuiltArm,
    case: Case,
    shown: Shown,
    first: Answer,
    findings: Sequence[Finding],
    *,
    show: Callable[[Case], Shown],
    answering: Callable[[], AbstractContextManager[None]],
    within: Path | None,
    clock: Callable[[], float],
) -> Rerun:
    """Ask `built` again on the fixed version and look whether it still says `findings`.

    Only arms that say so are asked, only about findings that count, only of a case whose fix is pinned: nobody else
    ever gets to see a fix. `first` is the answer that the findings come from; `answering` is a place among the
    reviews in flight.
    """
    twin = case.twin
    if twin is None or not findings or not built.reruns_on_fixed:
        return NOT_ASKED
    seconds = None
    try:
        fixed = show(twin)
        # What the change touches is looked at again, also where the fixed version is as it was before.
        files = {file: fixed.patch.places.get(file, ()) for file in shown.patch.files | fixed.patch.files}
        fixed = dataclasses.replace(fixed, patch=Patch(files))
        with ask(case.meta.lang, fixed, within) as question:
            with answering():
                started = clock()
                try:
                    answer = built.arm.answer(question)
                finally:
                    seconds = round(clock() - started, 3)
            if answer.unparsable is not None:
                return Rerun(seconds=seconds, trouble=answer.unparsable)
            if lost := sorted(set(answer.warnings) - set(first.warnings)):
                return Rerun(seconds=seconds, trouble=lost[0])
            said = normalise(answer.items, fixed.patch.files, str(question.tree), fixed.tree or ()).findings
        named = {finding.file for finding in findings if finding.file is not None}
        changed = {file: _changed(file, shown.tree or {}, fixed.tree or {}) for file in named}
        return Rerun(gone_when_fixed(findings, said, changed), seconds)
    except NoTwin:
        return NOT_ASKED
    except Cancelled:
        return Rerun(seconds=seconds, trouble="the session ended")
    except Exception as e:  # the review is done; whatever an arm does on the second way costs the evidence alone
        return Rerun(seconds=seconds, trouble=str(e) if isinstance(e, ReviewbenchError) else type(e).__name__)


def _changed(file: str, shown: Mapping[str, Path], fixed: Mapping[str, Path]) -> list[Region] | None:
    """How the fixed version of a file differs from the shown one; None: there is none."""
    if file not in shown:
        return []
    if file not in fixed:
        return None
    found = changes(lines_of(shown[file].read_bytes()), lines_of(fixed[file].read_bytes()))
    return [(change.a0, change.a1, change.b0, change.b1) for change in found]
