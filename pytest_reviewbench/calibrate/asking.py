"""The sessions of a calibration, several at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from pytest_reviewbench.calibrate.claims import Asked, Claim
from pytest_reviewbench.errors import OverBudget, ReviewFailed, one_line
from pytest_reviewbench.model import Verdict
from pytest_reviewbench.verify.verifier import NotLabelled, Verifier


@dataclass(slots=True)
class Answers:
    """What came back. `failed` says which sessions did not come to verdicts; `costs` are null where unknown."""

    answered: list[tuple[Claim, Verdict]] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    costs: list[float | None] = field(default_factory=list)
    sessions: int = 0


def ask_all(
    asked: Sequence[Asked],
    verifier: Verifier,
    *,
    jobs: int,
    within: Path | None,
    stop: Callable[[], None],
    progress: Callable[[int, int, str], None],
) -> Answers:
    """Hold all sessions, `jobs` at once. One that fails is an error of its own, never a wrong verdict."""
    answers = Answers()
    answered: dict[int, list[tuple[Claim, Verdict]]] = {}
    pool = ThreadPoolExecutor(max(1, min(jobs, len(asked) or 1)), thread_name_prefix="calibrate")
    finished = False
    try:
        futures = {pool.submit(verifier.label, one.case, one.shown, one.findings, within): one for one in asked}
        for done, future in enumerate(as_completed(futures), 1):
            one = futures[future]
            try:
                labelled = future.result()
            except OverBudget as e:
                answers.failed.append(f"{one.case.id}: not asked: {one_line(str(e))}")
            except NotLabelled as e:
                answers.sessions += 1
                answers.costs.append(e.spent.cost_usd)
                answers.failed.append(f"{one.case.id}: {one_line(str(e))}")
            except ReviewFailed as e:
                answers.failed.append(f"{one.case.id}: {one_line(str(e))}")
            else:
                answers.sessions += 1
                answers.costs.append(labelled.spent.cost_usd)
                answered[id(one)] = [(claim, labelled.verdicts[claim.finding]) for claim in one.claims]
            progress(done, len(asked), one.case.id)
        finished = True
    finally:
        if not finished:
            pool.shutdown(wait=False, cancel_futures=True)
            stop()
        pool.shutdown(wait=True)
    answers.failed.sort()
    answers.answered = [pair for one in asked for pair in answered.get(id(one), ())]  # whoever was done first
    return answers
