"""The words, names and bounds of which all values are made, and `Record`, the base of what is stored."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta as Rule

Status = Literal["ok", "unparsable", "error", "crashed", "not_attempted", "not_run"]
"""How a review ended; the words are defined in docs/formats.md. Only `ok` can be a miss."""

Severity = Literal["critical", "high", "medium", "low"]
Split = Literal["train", "test"]
Kind = Literal["review"]
Scope = Literal["hunks", "file"]
CostSource = Literal["reported", "priced", "none"]
"""`none`: nobody reported or computed a price; the cost is then null, or 0 for an arm that bills nothing."""

VerdictWord = Literal["gt_same", "real", "not_a_bug", "unverifiable"]
"""What a verifier says of a finding; the words are defined in docs/judge.md."""

SPLITS: tuple[Split, ...] = get_args(Split)
STATUSES: tuple[Status, ...] = get_args(Status)
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
VERDICTS: tuple[VerdictWord, ...] = get_args(VerdictWord)

VOLATILE = (
    "started", "seconds", "rerun_seconds", "cost_usd", "usage", "attempts", "attempted", "versions", "environment",
    "when",
)  # fmt: skip
"""Fields of stored records that differ between two equal runs; everything else is reproducible."""

ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z"
TWIN = ".twin"
"""Ends the id of a fixed twin: the case before it, without its bug."""
COMMIT_PATTERN = r"^([0-9a-f]{40}|[0-9a-f]{64})\Z"
URL_PATTERN = r"^((https?|git)://[^\s@/\\]+/[^\s\\]*|ssh://([A-Za-z0-9._-]+@)?[A-Za-z0-9\[][^\s@/\\]*/[^\s\\]*|file:///[^\s\\]+)\Z"
"""Repositories by full URL, without passwords: those belong into git's own settings."""
WORD_PATTERN = r"^[a-z0-9_-]{1,40}\Z"

CaseId = Annotated[str, Rule(pattern=ID_PATTERN)]
ReviewedId = Annotated[str, Rule(pattern=ID_PATTERN.removesuffix(r"\Z") + r"(\.twin)?\Z")]
"""The id of what is reviewed: a case, or the twin of one."""

Word = Annotated[str, Rule(pattern=WORD_PATTERN)]
Line = Annotated[int, Rule(ge=1, le=10_000_000)]
Sha256 = Annotated[str, Rule(pattern=r"^[0-9a-f]{64}\Z")]
PackageName = Annotated[
    str, Rule(pattern=r"^(@[a-z0-9][a-z0-9._-]*/)?[A-Za-z0-9][A-Za-z0-9._-]*\Z", max_length=214)
]
Amount = Annotated[float, Rule(ge=0)]
Count = Annotated[int, Rule(ge=0)]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Base of everything that is read from or written to a file (msgspec inherits neither flag: repeat both)."""
