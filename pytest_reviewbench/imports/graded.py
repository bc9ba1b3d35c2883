"""Somebody's answers as reviews: read, matched and recorded as those of a session are."""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from msgspec.structs import replace

from pytest_reviewbench.answers.normalise import normalise
from pytest_reviewbench.corpus.shown import Shown
from pytest_reviewbench.errors import NoChange, one_line
from pytest_reviewbench.imports.answer_files import AnswerOf
from pytest_reviewbench.imports.finished import Imported
from pytest_reviewbench.model import Case, Error, Review
from pytest_reviewbench.reviewing import MOST_FINDINGS, MOST_WARNINGS
from pytest_reviewbench.runs.said import kept, sha256_of
from pytest_reviewbench.scoring.matcher import Search, match_findings
from pytest_reviewbench.tasks.review import grade, ungraded

NO_ANSWER = "the imported files have no answer to it"


def graded(
    case: Case, answer: AnswerOf | None, arm: str, rep: int, show: Callable[[Case], Shown], search: Search
) -> Imported:
    """The review that `answer` amounts to; without one it is `not_run`.

    Raises `CorpusError` for a change that cannot be read and for a regex that does not end.
    """
    blank = Review(case=case.id, arm=arm, rep=rep, status="ok", attempts=0)
    if answer is None:
        error = Error(kind="not_run", message=NO_ANSWER)
        return Imported(replace(blank, status="not_run", error=error), ungraded(case))
    raw, _ = kept(answer.raw, b"")
    blank = replace(blank, answer_sha256=sha256_of(raw))
    shown = _shown(case, show)
    made = normalise(answer.items, shown.patch.files if shown else (), None, (shown.tree or ()) if shown else ())
    unparsable = answer.unparsable and _without_folder(answer.unparsable)
    if unparsable is None and answer.items and not made.findings:
        unparsable = f"none of the {len(answer.items)} items of the answer has a text"
    if unparsable is not None:
        error = Error(kind="unparsable", message=one_line(unparsable))
        return Imported(replace(blank, status="unparsable", error=error), ungraded(case), raw)
    findings, warnings = made.findings, [*answer.warnings, *made.warnings]
    if len(findings) > MOST_FINDINGS:
        warnings.append(f"only the first {MOST_FINDINGS} of {len(findings)} findings are kept and counted")
        findings = findings[:MOST_FINDINGS]
    if len(warnings) > MOST_WARNINGS:
        warnings[MOST_WARNINGS - 1 :] = [f"{len(warnings) - MOST_WARNINGS + 1} more warnings"]
    review = replace(blank, findings=findings, warnings=tuple(map(one_line, warnings)))
    if shown is not None:
        return Imported(review, grade(case, shown, findings, search), raw)
    matches = ungraded(case)
    if not case.truth.judged_only:
        matches = replace(matches, hits=match_findings(findings, case.truth.bugs, (), search))
    return Imported(review, matches, raw)


def _shown(case: Case, show: Callable[[Case], Shown]) -> Shown | None:
    try:
        return show(case)
    except NoChange:
        return None


def _without_folder(message: str) -> str:
    """A run goes to others: it names a file and no folder of this machine."""
    path, colon, rest = message.partition(": ")
    return f"{posixpath.basename(path)}{colon}{rest}"
