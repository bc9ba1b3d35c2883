"""One review, from claim to record: the same path in a worker, in the in-flight loop and for whoever asks first."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec

from pytest_reviewbench import codec
from pytest_reviewbench.answers.normalise import normalise
from pytest_reviewbench.arms.protocol import Answer, AnswerFailed, BuiltArm, NotAttempted
from pytest_reviewbench.contain.lanes import Lanes
from pytest_reviewbench.contain.process import Cancelled
from pytest_reviewbench.contain.session_folder import SessionFolder
from pytest_reviewbench.corpus.shown import Shown
from pytest_reviewbench.errors import NoChange, NoTwin, OverBudget, ReviewbenchError, ReviewFailed, one_line
from pytest_reviewbench.model import TWIN, Case, Error, Finding, Matches, Review, Status
from pytest_reviewbench.redact import redacted
from pytest_reviewbench.rerun import rerun_on_fixed
from pytest_reviewbench.runs.claims import Claim, claim
from pytest_reviewbench.runs.folder import RunFolder
from pytest_reviewbench.runs.outcomes import ABANDONED
from pytest_reviewbench.runs.said import kept, kept_streams, sha256_of
from pytest_reviewbench.scoring.matcher import Search
from pytest_reviewbench.tasks.review import Earlier, ask, grade, in_scope, ungraded

MOST_FINDINGS = 5_000
"""Of one review, counted after its scope: a reviewer that says more says nothing."""

MOST_WARNINGS = 50


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A finished review and what the matcher says of it."""

    review: Review
    matches: Matches | None

    @property
    def missed(self) -> int:
        """Known bugs that a used review did not name; none of a twin, where they are not."""
        unused = self.review.status != "ok" or self.review.tainted
        if unused or self.matches is None or self.review.case.endswith(TWIN):
            return 0
        return len(self.matches.bugs) - len({bug for bugs in self.matches.hits.values() for bug in bugs})


@dataclass(frozen=True, slots=True)
class Means:
    """What this process does its reviews with.

    `show` gives what a case shows, `search` is the matcher's; workspaces are made in `folder` (None: among
    temporary files); `permit` raises `OverBudget` when no review may begin any more.
    """

    show: Callable[[Case], Shown]
    search: Search
    lanes: Lanes = field(default_factory=lambda: Lanes(1))
    folder: SessionFolder | None = None
    permit: Callable[[], None] = lambda: None
    clock: Callable[[], float] = time.monotonic


def review_once(
    run: RunFolder,
    built: BuiltArm,
    rep: int,
    case: Case,
    means: Means,
    earlier: Earlier | None = None,
) -> Reviewed:
    """The review of `case` by `built`, done now, or read back if anybody has done it.

    `earlier` is the review that the arm builds on. Whatever goes wrong becomes a record; only `Cancelled` and
    interrupts leave the review undone, and so does a spent budget: then it is `not_run`, and not stored.
    """
    blank = Review(case=case.id, arm=built.name, rep=rep, status="error")
    with contextlib.ExitStack() as until_recorded:
        held: list[Claim] = []

        def begin() -> None:
            held.append(until_recorded.enter_context(claim(run, case.id)))
            if held[0].standing != "open":
                raise _NotOurs
            means.permit()

        try:
            with means.lanes.desk():
                done = _reviewed(blank, built, case, means, begin, earlier)
            if not held:  # it failed before it could be asked
                begin()
        except _NotOurs:
            if held[0].record is not None:
                return Reviewed(held[0].record, run.matches(case.id))
            return _stored(run, _Done(_failed(blank, "crashed", "crashed", ABANDONED), ungraded(case)))
        except OverBudget as e:
            for mine in held:
                mine.withdraw(str(e))
            return Reviewed(_failed(blank, "not_run", "budget", str(e)), None)
        except (Cancelled, KeyboardInterrupt, SystemExit):
            for mine in held:
                mine.withdraw()
            raise
        return _stored(run, done)


@dataclass(frozen=True, slots=True)
class _Done:
    """What is to be stored of a review: the raw answer and the transcript without secrets."""

    review: Review
    matches: Matches
    raw: str = ""
    transcript: str = ""
    earlier: tuple[str, ...] = ()


class _NotOurs(Exception):
    """Somebody has done this review, or died doing it."""


def record_crash(run: RunFolder, arm: str, rep: int, case: Case, message: str) -> Reviewed:
    """Record that the process which reviewed `case` died, unless its record stands already."""
    with claim(run, case.id) as held:
        if held.record is not None:
            return Reviewed(held.record, run.matches(case.id))
        blank = Review(case=case.id, arm=arm, rep=rep, status="crashed")
        return _stored(run, _Done(_failed(blank, "crashed", "crashed", message), ungraded(case)))


def _reviewed(
    blank: Review,
    built: BuiltArm,
    case: Case,
    means: Means,
    begin: Callable[[], None],
    earlier: Earlier | None,
) -> _Done:
    """The record, its grading and what was said. Never raises for anything that a case or an arm can do."""
    try:
        shown = means.show(case)
    except (NoTwin, NoChange) as e:
        return _Done(_failed(blank, "not_attempted", "not_attempted", str(e)), ungraded(case))
    except ReviewbenchError as e:
        return _Done(_failed(blank, "error", "corpus", str(e)), ungraded(case))
    root = None
    clock = means.clock
    within = means.folder.path if means.folder else None
    started = clock()
    try:
        with ask(case.meta.lang, shown, within, earlier) as question:
            root = str(question.tree) if question.tree else None
            blank = _with(blank, set_aside=question.set_aside)
            with means.lanes.answering():
                begin()
                started = clock()
                answer = built.arm.answer(question)
                seconds = _seconds(clock() - started, answer)
        raw, transcript = kept(answer.raw, answer.transcript)
        before = kept_streams(answer.earlier_transcripts)
        review, counted = _answered(blank, built, answer, shown, root, seconds, raw)
        codec.encode(review)  # refuses what an arm may say and nobody can store, as a cost of NaN
    except NotAttempted as e:
        return _Done(_failed(blank, "not_attempted", "not_attempted", str(e)), ungraded(case))
    except (Cancelled, OverBudget, _NotOurs):
        raise
    except AnswerFailed as e:
        raw, transcript = kept(e.partial.raw, e.partial.transcript)
        before = kept_streams(e.partial.earlier_transcripts)
        failed = _with(_spent(blank, e.partial, raw), seconds=_seconds(clock() - started, e.partial))
        return _Done(_failed(failed, "error", e.kind, str(e)), ungraded(case), raw, transcript, before)
    except Exception as e:  # an arm may be anybody's code; its bug is this review's error, not the session's
        kind = e.kind if isinstance(e, ReviewFailed) else "arm"
        message = str(e) if isinstance(e, ReviewbenchError) else f"{type(e).__name__}: {e}"
        failed = _with(blank, seconds=round(clock() - started, 3))
        return _Done(_failed(failed, "error", kind, message), ungraded(case))
    try:
        matches = grade(case, shown, counted, means.search)
    except ReviewbenchError as e:
        failed = _failed(review, "error", "corpus", f"{case.folder}: {e}")
        return _Done(failed, ungraded(case), raw, transcript, before)
    again = rerun_on_fixed(
        built,
        case,
        shown,
        answer,
        counted,
        show=means.show,
        answering=means.lanes.answering,
        within=within,
        clock=clock,
    )
    if again.trouble is not None:
        trouble = one_line(f"not compared with the fixed version: {again.trouble}")
        review = _with(review, warnings=(*review.warnings, trouble))
    return _Done(review, again.added_to(matches), raw, transcript, before)


def _seconds(passed: float, answer: Answer) -> float:
    """What a review took, with the review that it includes and without the time that it waited for its turn."""
    return round(max(0.0, passed - answer.seconds_waited) + answer.seconds_before, 3)


def _spent(blank: Review, answer: Answer, raw: str) -> Review:
    """What a session cost and was, whatever became of its answer."""
    return _with(
        blank,
        attempts=len(answer.attempts) or 1,
        attempted=answer.attempts,
        usage=answer.usage,
        cost_usd=answer.cost_usd,
        cost_source=answer.cost_source,
        model=None if answer.model is None else redacted(answer.model),
        skill_loaded=answer.skill_loaded,
        tainted=bool(answer.taint),
        taint=answer.taint,
        refused=answer.refused,
        answer_sha256=sha256_of(raw) if raw else None,
    )


def _answered(
    blank: Review, built: BuiltArm, answer: Answer, shown: Shown, root: str | None, seconds: float, raw: str
) -> tuple[Review, Sequence[Finding]]:
    """The record of an answer, and its findings that count."""
    loose = normalise(answer.items, shown.patch.files, root, shown.tree or ())
    findings = in_scope(loose.findings, shown.patch, built.arm.scope)
    warnings = [*answer.warnings, *loose.warnings]
    if len(findings) < len(loose.findings):
        outside = len(loose.findings) - len(findings)
        warnings.append(f"{outside} findings outside the change left out (scope {built.arm.scope})")
    if len(findings) > MOST_FINDINGS:
        warnings.append(f"only the first {MOST_FINDINGS} of {len(findings)} findings are kept and counted")
        findings = findings[:MOST_FINDINGS]
    if len(warnings) > MOST_WARNINGS:
        warnings[MOST_WARNINGS - 1 :] = [f"{len(warnings) - MOST_WARNINGS + 1} more warnings"]
    unparsable = answer.unparsable
    if unparsable is None and answer.items and not loose.findings:
        unparsable = f"none of the {len(answer.items)} items of the answer has a text"
    review = _with(
        _spent(blank, answer, raw),
        status="ok" if unparsable is None else "unparsable",
        error=None if unparsable is None else Error(kind="unparsable", message=one_line(unparsable)),
        findings=tuple(findings),
        warnings=tuple(one_line(warning) for warning in warnings),
        seconds=seconds,
        answer_sha256=sha256_of(raw),
        said_sha256=sha256_of(said) if (said := redacted(answer.said).strip()) else None,
    )
    return review, findings if unparsable is None else ()


def _stored(run: RunFolder, done: _Done) -> Reviewed:
    run.write_review(done.review, done.matches, done.raw, done.transcript, done.earlier)
    return Reviewed(done.review, done.matches)


def _failed(review: Review, status: Status, kind: str, message: str) -> Review:
    return _with(review, status=status, error=Error(kind=kind, message=one_line(message)))


def _with(review: Review, **changes: object) -> Review:
    return msgspec.structs.replace(review, **changes)
