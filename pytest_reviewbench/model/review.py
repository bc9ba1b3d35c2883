"""A review: what was found, what it took, and what the matcher says of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from pytest_reviewbench.model.base import (
    Amount,
    CaseId,
    CostSource,
    Count,
    Kind,
    Line,
    Record,
    ReviewedId,
    Severity,
    Sha256,
    Status,
    Word,
)


class Finding(Record, frozen=True, kw_only=True):
    """One reported defect. Lines count from 1 in the tree as the change leaves it; null: the whole file."""

    id: str
    text: str
    file: str | None = None
    line: Line | None = None
    end_line: Line | None = None
    severity: Severity | None = None
    tool: str | None = None
    rule: str | None = None


class Usage(Record, frozen=True, kw_only=True):
    """What a review consumed, as far as the reviewer said; null is unknown, not zero."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_read_tokens: Count | None = None
    cache_write_tokens: Count | None = None
    turns: Count | None = None


class Error(Record, frozen=True, kw_only=True):
    """Why a review has no usable answer: `kind` for programs, `message` for people."""

    kind: Word
    message: str


class Attempt(Record, frozen=True, kw_only=True):
    """One session that was tried for a review or for verdicts. Without an error it ended with an answer."""

    error: Error | None = None
    seconds: Amount | None = None
    usage: Usage | None = None
    cost_usd: Amount | None = None
    cost_source: CostSource = "none"


class Review(Record, frozen=True, kw_only=True):
    """`reviews/<case>.json`: the outcome of one (case, arm, rep). Written once, never changed.

    `attempted` are the `attempts` sessions that it took, in order (none where an arm holds no sessions); `usage`
    and `cost_usd` are those of all of them, and of the first pass where the arm builds on one. `seconds` hold no
    waiting.

    `set_aside` names what the reviewed tree held and the reviewer did not see: `path`, `folder/`, `path#part`.
    `taint` names what a session looked at beyond its task, with success (`outside: Read /x`); the review is
    `tainted` then, and in no number. `refused` names such looks that brought nothing in. `said_sha256` is that of
    the session's own final answer, trimmed, if it reported anything new: equal ones of two arms raise an alarm.
    """

    schema: Literal[1] = 1
    case: ReviewedId
    arm: CaseId
    rep: Line
    status: Status
    kind: Kind = "review"
    error: Error | None = None
    findings: tuple[Finding, ...] = ()
    warnings: tuple[str, ...] = ()
    attempts: Count = 1
    attempted: tuple[Attempt, ...] = ()
    usage: Usage | None = None
    cost_usd: Amount | None = None
    cost_source: CostSource = "none"
    seconds: Amount | None = None
    model: str | None = None
    skill_loaded: bool | None = None
    tainted: bool = False
    taint: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    answer_sha256: Sha256 | None = None
    said_sha256: Sha256 | None = None
    set_aside: tuple[str, ...] = ()


class BugFact(Record, frozen=True, kw_only=True):
    """What a report needs of a bug, and no word of what it is."""

    id: CaseId
    severity: Severity | None = None


class Evidence(Record, frozen=True, kw_only=True):
    """What can be said of a finding without a judge; null: could not be determined. Never a verdict.

    `gone_when_fixed`: the same reviewer, asked again on the fixed version, does not say it any more.
    """

    touches_fix: bool | None = None
    gone_when_fixed: bool | None = None


class Matches(Record, frozen=True, kw_only=True):
    """`matches/<case>.json`: which findings the strict matcher ties to which bugs.

    Of a twin the bugs are not there, and a hit is a claim that is false. `rerun_seconds` went into asking the
    reviewer again on the fixed version (null: it was not). `origin` is the package or repository that the code is
    from, `published` when the fix came out. `judged_only`: the bugs have no regexes, and `hits` mean nothing.
    """

    schema: Literal[1] = 1
    case: ReviewedId
    lang: Word
    class_: Word | None = msgspec.field(default=None, name="class")
    matcher_version: int | str | None
    bugs: tuple[BugFact, ...]
    hits: Mapping[str, tuple[CaseId, ...]]
    evidence: Mapping[str, Evidence]
    rerun_seconds: Amount | None = None
    origin: str | None = None
    published: str | None = None
    judged_only: bool = False
