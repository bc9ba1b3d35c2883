"""Suspect labels, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pytest_reviewbench.model import CaseId, Record, ReviewedId
from pytest_reviewbench.scoring.outcomes import Outcome
from pytest_reviewbench.scoring.suspects import suspicions


class Suspect(Record, frozen=True, kw_only=True):
    """A label to look at: a clean control or twin with a shared finding, a bug nobody finds, a regex that disagrees
    with verdicts. `findings` are ids in the runs of `arms`; no word of the truth."""

    kind: Literal["clean", "twin", "never_found", "overreach", "miss"]
    case: ReviewedId
    bug: CaseId | None
    arms: tuple[CaseId, ...]
    findings: tuple[str, ...] = ()


def build_suspects(arms: Mapping[str, Sequence[Outcome]]) -> tuple[Suspect, ...]:
    """The suspect labels that the outcomes of `arms` show, sorted."""
    return tuple(
        Suspect(kind=one.kind, case=one.case, bug=one.bug, arms=one.arms, findings=one.findings)
        for one in suspicions(arms)
    )
