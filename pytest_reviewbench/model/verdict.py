"""What a verifier says of findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from pytest_reviewbench.model.base import (
    Amount,
    CaseId,
    CostSource,
    Count,
    Line,
    Record,
    ReviewedId,
    Sha256,
    VerdictWord,
)
from pytest_reviewbench.model.review import Attempt, Error, Usage


class Verdict(Record, frozen=True, kw_only=True):
    """What a verifier says of one finding. `bugs` are the known ones that it names; only `gt_same` names any."""

    verdict: VerdictWord
    bugs: tuple[CaseId, ...] = ()
    reason: str = ""


class Verdicts(Record, frozen=True, kw_only=True):
    """`verdicts/<verifier id>/<case>.<n>.json`: a verdict on every finding of a review, or why there are none.

    `cost_usd`, `usage` and `seconds` are those of the whole session, of all `attempted` ones, which served
    `shared_by` runs at once (1: this one alone); all are null or 0 where no session was needed. `context`: did the
    judge see more than the change? `when` (ISO 8601) is when a person's labels came in; a record of theirs may hold
    verdicts on some of the findings only. `answer_sha256` is that of the session's answer as it is
    stored, beside them by the name of the `session`.
    """

    schema: Literal[1] = 1
    case: ReviewedId
    verifier: CaseId
    verdicts: Mapping[str, Verdict] = msgspec.field(default_factory=dict)
    error: Error | None = None
    corpus_sha256: Sha256
    prompt_sha256: Sha256 | None = None
    answer_sha256: Sha256 | None = None
    agent: str | None = None
    agent_version: str | None = None
    model: str | None = None
    session: str | None = None
    shared_by: Line = 1
    context: bool = False
    attempts: Count = 1
    attempted: tuple[Attempt, ...] = ()
    usage: Usage | None = None
    cost_usd: Amount | None = None
    cost_source: CostSource = "none"
    seconds: Amount | None = None
    when: str | None = None
