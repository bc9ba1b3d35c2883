"""The report as data: `report.json`, and what every rendering is made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from pytest_reviewbench.model import CaseId, Count, Kind, Record, ReviewedId, Scope, Sha256, Status

Number = float | int | None


class RunRef(Record, frozen=True, kw_only=True):
    """A run that the report is made of. `uncontained` says why its reviewers saw the whole machine."""

    name: str
    arm: CaseId
    rep: int
    complete: bool
    cases: Count
    scope: Scope | None
    sandbox: str
    uncontained: str | None = None


class CaseRow(Record, frozen=True, kw_only=True):
    """One review. `bugs` and `bugs_hit` are null where the review never ran; `bugs` 0 is a clean control.

    `tainted`: it looked beyond its task, and is in no number.
    """

    case: ReviewedId
    rep: int
    status: Status
    lang: str | None
    bugs: Count | None
    bugs_hit: Count | None
    findings: Count | None
    findings_matched: Count | None
    touches_fix: Count | None
    gone_when_fixed: Count | None = None
    tainted: bool = False
    cost_usd: float | None
    seconds: float | None
    reason: str | None


class ArmReport(Record, frozen=True, kw_only=True):
    """The numbers of one arm; their definitions stand in docs/numbers.md. `twins`: the reviews of fixed twins."""

    numbers: Mapping[str, Number]
    cost_sources: Mapping[str, Count]
    by_language: Mapping[str, Mapping[str, Number]]
    by_severity: Mapping[str, Mapping[str, Number]]
    by_rep: Mapping[str, Mapping[str, Number]]
    by_verifier: Mapping[str, Mapping[str, Number]] = msgspec.field(default_factory=dict)
    cases: tuple[CaseRow, ...]
    twins: tuple[CaseRow, ...] = ()


class SameAnswer(Record, frozen=True, kw_only=True):
    """Arms whose sessions gave the very same answer, to the letter, with findings, to a case."""

    case: ReviewedId
    arms: tuple[CaseId, ...]


class GateRow(Record, frozen=True, kw_only=True):
    """A bound the user set, on one arm."""

    gate: str
    arm: CaseId
    value: Number
    held: bool
    said: str


class Report(Record, frozen=True, kw_only=True):
    """`report.json`. `partial`: a run is unfinished, and `missing` names its reviews without a record.

    `verifier` is whose verdicts the numbers count (null: nobody's), `verifiers` all that left any in these runs;
    `own_model` names the arms that were judged by the model that they are, `unjudged` why reviews have no
    verdicts. `same_answers` names arms that gave the very same answer to a case. `tainted_counted`: tainted reviews
    are in the numbers, because that was asked for.
    """

    schema: Literal[1] = 1
    kind: Kind
    corpus_sha256: Sha256
    split: str
    absent: Count
    partial: bool
    missing: tuple[str, ...]
    verified: bool = False
    verifier: str | None = None
    verifiers: tuple[str, ...] = ()
    own_model: tuple[CaseId, ...] = ()
    unjudged: tuple[str, ...] = ()
    same_answers: tuple[SameAnswer, ...] = ()
    tainted_counted: bool = False
    runs: tuple[RunRef, ...]
    arms: Mapping[str, ArmReport]
    original: tuple[Mapping[str, str | float | int | None], ...]
    gates: tuple[GateRow, ...] = ()

    def with_gates(self, gates: tuple[GateRow, ...]) -> Report:
        return msgspec.structs.replace(self, gates=gates)
