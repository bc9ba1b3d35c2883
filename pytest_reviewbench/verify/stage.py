"""The stage that gets verdicts: what is missing in some runs, asked for once per case, written to each of them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from pytest_reviewbench.contain.process import Cancelled
from pytest_reviewbench.corpus.seal import seal_text
from pytest_reviewbench.corpus.shown import Shown
from pytest_reviewbench.errors import OverBudget, ReviewbenchError, ReviewFailed, RunError, one_line
from pytest_reviewbench.model import TWIN, Case, Error, Review, Verdict, Verdicts
from pytest_reviewbench.redact import redacted
from pytest_reviewbench.runs.folder import RunFolder
from pytest_reviewbench.runs.outcomes import fits
from pytest_reviewbench.runs.said import kept, sha256_of
from pytest_reviewbench.verify.prompt import distinct, judged_id
from pytest_reviewbench.verify.verifier import NotLabelled, Spent, Verifier

MOST_FINDINGS = 200
"""Of one review: more are not judged, for nobody reads that many with care, and a session must end."""

Progress = Callable[[int, int, str], None]
"""(done, all, what): a case of a verifier is done."""


@dataclass(frozen=True, slots=True)
class Open:
    """A used review without verdicts."""

    run: RunFolder
    review: Review


@dataclass(slots=True)
class Todo:
    """One case of one verifier: the reviews that lack verdicts, and verdicts that are known from elsewhere."""

    verifier: Verifier
    case: str
    open: list[Open] = field(default_factory=list)
    known: dict[str, Verdict] = field(default_factory=dict)


@dataclass(slots=True)
class Tally:
    """How a stage ended: reviews that got verdicts, that did not, and that nobody was asked about; sessions held.

    `over` says why nobody was asked: the money or the time was spent.
    """

    judged: int = 0
    failed: int = 0
    left: int = 0
    sessions: int = 0
    over: str | None = None


def check_corpus(runs: Sequence[RunFolder], identity: str, *, partial: bool = False) -> None:
    """Raises `RunError` for a run of another corpus, or, unless `partial`, one that is not complete."""
    for run in runs:
        manifest = run.manifest()
        if not run.complete and not partial:
            raise RunError(
                f"{run.path}: not complete (no COMPLETE file); its reviews are not all done; --partial takes those "
                "that are"
            )
        if manifest.corpus_sha256 != identity:
            raise RunError(
                f"{run.path}: made with corpus {manifest.corpus_sha256[:12]}, not with this one ({identity[:12]})"
            )


def plan(runs: Sequence[RunFolder], verifiers: Sequence[Verifier], *, with_tainted: bool = False) -> list[Todo]:
    """What is missing or failed in `runs`, by verifier and case. A verdict that any of them has is known to all.

    Tainted reviews are in no number, so they are not paid for unless `with_tainted`.
    """
    todo: list[Todo] = []
    for verifier in verifiers:
        found: dict[str, Todo] = {}
        for run in runs:
            stored = run.verdicts(verifier.id)
            for case in run.manifest().cases:
                review = run.review(case)
                if review is None or review.status != "ok" or (review.tainted and not with_tainted):
                    continue
                if case.endswith(TWIN):  # what is claimed of a twin is known to be false
                    continue
                here = found.setdefault(case, Todo(verifier, case))
                complete = [record for record in stored.get(case, ()) if fits(review, record)]
                if not complete:
                    here.open.append(Open(run, review))
                for record in complete:
                    here.known |= {judged_id(name): verdict for name, verdict in record.verdicts.items()}
        todo += [one for _, one in sorted(found.items()) if one.open]
    return todo


def run_stage(
    todo: Sequence[Todo],
    cases: Mapping[str, Case],
    show: Callable[[Case], Shown],
    *,
    jobs: int,
    within: Path | None,
    stop: Callable[[], None],
    progress: Progress,
) -> Tally:
    """Get and store the verdicts of `todo`, `jobs` cases at once.

    What fails is a record that says why. An interrupt ends the sessions through `stop`, keeps what is stored and
    goes on to the caller.
    """
    tally = Tally()
    pool = ThreadPoolExecutor(max(1, min(jobs, len(todo) or 1)), thread_name_prefix="verify")
    finished = False
    try:
        waiting: dict[Future[Tally], Todo] = {pool.submit(_settle, one, cases, show, within): one for one in todo}
        done = 0
        while waiting:
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                one = waiting.pop(future)
                part = future.result()
                tally.judged += part.judged
                tally.failed += part.failed
                tally.left += part.left
                tally.sessions += part.sessions
                tally.over = tally.over or part.over
                if part.left:  # nobody was asked
                    continue
                done += 1
                progress(done, len(todo), f"{one.case} by {one.verifier.id}")
        finished = True
    finally:
        if not finished:
            pool.shutdown(wait=False, cancel_futures=True)
            stop()
        pool.shutdown(wait=True)
    return tally


def _settle(todo: Todo, cases: Mapping[str, Case], show: Callable[[Case], Shown], within: Path | None) -> Tally:
    """Verdicts for one case, in a session if any finding is new, and a record for each review."""
    tally = Tally()
    too_long = [one for one in todo.open if len(one.review.findings) > MOST_FINDINGS]
    for one in too_long:
        why = Error(kind="too_many", message=f"over {MOST_FINDINGS} findings in one review are not judged")
        one.run.write_verdicts(_record(todo, one, Spent(), error=why))
    ready = [one for one in todo.open if one not in too_long]
    tally.failed += len(too_long)
    new = {name: f for one in ready for name, f in distinct(one.review.findings).items() if name not in todo.known}
    served = [one for one in ready if any(judged_id(f.id) in new for f in one.review.findings)]
    spent, session, error = Spent(), None, None
    known = dict(todo.known)
    recipient = cases[todo.case].recipient if todo.case in cases else None
    if new:
        session = secrets.token_hex(8)
        try:
            case = cases[todo.case]
            labelled = todo.verifier.label(case, show(case), [*new.values()], within)
            known |= {name: _at_rest(verdict, recipient) for name, verdict in labelled.verdicts.items()}
            spent = labelled.spent
            tally.sessions += 1
        except Cancelled:
            raise
        except OverBudget as e:
            tally.left, tally.over = len(served), str(e)
            ready = [one for one in ready if one not in served]
            served = []
        except NotLabelled as e:
            error, spent = Error(kind=e.kind, message=one_line(str(e))), e.spent
            tally.sessions += 1
        except Exception as e:  # a verifier's bug costs this case, not the stage
            kind = e.kind if isinstance(e, ReviewFailed) else "verifier"
            message = str(e) if isinstance(e, ReviewbenchError) else type(e).__name__
            error, session = Error(kind=kind, message=one_line(message)), None
    answer, transcript = kept(spent.answer, spent.transcript)
    for one in ready:
        if one not in served:
            one.run.write_verdicts(_record(todo, one, Spent(), known))
            continue
        record = msgspec.structs.replace(
            _record(todo, one, spent, known if error is None else None, error=error),
            session=session,
            shared_by=len(served),
            answer_sha256=sha256_of(answer) if answer else None,
        )
        one.run.write_verdicts(record, seal_text(answer, recipient), seal_text(transcript, recipient))
    lost = len(served) if error is not None else 0
    tally.failed += lost
    tally.judged += len(ready) - lost
    return tally


def _at_rest(verdict: Verdict, recipient: str | None) -> Verdict:
    """`verdict` as a run stores it: a reason speaks of the truth, which may be sealed."""
    return msgspec.structs.replace(verdict, reason=seal_text(verdict.reason, recipient))


def _record(
    todo: Todo,
    one: Open,
    spent: Spent,
    known: Mapping[str, Verdict] | None = None,
    *,
    error: Error | None = None,
) -> Verdicts:
    return Verdicts(
        case=todo.case,
        verifier=todo.verifier.id,
        verdicts={f.id: known[judged_id(f.id)] for f in one.review.findings} if known is not None else {},
        error=error,
        corpus_sha256=one.run.manifest().corpus_sha256,
        prompt_sha256=spent.prompt_sha256,
        agent=spent.agent,
        agent_version=spent.agent_version,
        model=None if spent.model is None else redacted(spent.model),
        context=spent.context,
        attempts=len(spent.attempts) or 1,
        attempted=spent.attempts,
        usage=spent.usage,
        cost_usd=spent.cost_usd,
        cost_source=spent.cost_source,
        seconds=spent.seconds,
    )
