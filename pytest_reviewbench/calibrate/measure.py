"""Verdicts on claims -> how often a verifier is right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pytest_reviewbench.calibrate.claims import POSITIVE, Claim
from pytest_reviewbench.model import CaseId, Count, Record, Sha256, Verdict, VerdictWord
from pytest_reviewbench.scoring.intervals import wilson

Key = tuple[str, str, str | None, int]
NUMBERS = ("sensitivity", "specificity", "flips", "errors")


class Rate(Record, frozen=True, kw_only=True):
    """The share of claims that were judged rightly, repeats averaged first, with Wilson's 95 % interval."""

    claims: Count
    value: float | None
    low: float | None
    high: float | None


class ClaimRow(Record, frozen=True, kw_only=True):
    """One claim: the word it got in each repeat that was answered, and whether that was right. No word of it."""

    kind: Literal["example", "paraphrase", "neighbour", "generic", "twin"]
    case: CaseId
    bug: CaseId | None
    number: Count
    verdicts: tuple[VerdictWord, ...]
    right: tuple[bool, ...]


class Calibration(Record, frozen=True, kw_only=True):
    """`calibration.json`. `flips` is the share of claims, answered more than once, that were not judged alike.

    `failed` names the cases of sessions without verdicts and why: those are in no rate.
    """

    schema: Literal[1] = 1
    verifier: CaseId
    corpus_sha256: Sha256
    started: str
    repeats: Count
    sessions: Count
    errors: Count
    cost_usd: float | None
    sensitivity: Rate
    specificity: Rate
    kinds: Mapping[str, Rate]
    flips: float | None
    claims: tuple[ClaimRow, ...]
    failed: tuple[str, ...]

    def number(self, name: str) -> float | None:
        """One of `NUMBERS`."""
        if name == "errors":
            return self.errors
        value = getattr(self, name)
        return value.value if isinstance(value, Rate) else value


def rows_of(answered: Iterable[tuple[Claim, Verdict]]) -> list[ClaimRow]:
    """The claims, sorted, each with all its answers."""
    found: dict[Key, list[tuple[Claim, Verdict]]] = {}
    for claim, verdict in answered:
        found.setdefault((claim.case, claim.kind, claim.bug or "", claim.number), []).append((claim, verdict))
    return [
        ClaimRow(
            kind=group[0][0].kind,
            case=group[0][0].case,
            bug=group[0][0].bug,
            number=group[0][0].number,
            verdicts=tuple(verdict.verdict for _, verdict in group),
            right=tuple(claim.right(verdict) for claim, verdict in group),
        )
        for _, group in sorted(found.items())
    ]


def rate(rows: Sequence[ClaimRow]) -> Rate:
    """How often `rows` were judged rightly; null for none."""
    hits = sum(sum(row.right) / len(row.right) for row in rows)
    ends = wilson(hits, len(rows))
    return Rate(
        claims=len(rows),
        value=hits / len(rows) if rows else None,
        low=ends.low if ends else None,
        high=ends.high if ends else None,
    )


def flips(rows: Sequence[ClaimRow]) -> float | None:
    """The share of claims with two answers or more that were not always judged alike; null for none."""
    again = [row for row in rows if len(row.verdicts) > 1]
    return sum(len(set(row.verdicts)) > 1 for row in again) / len(again) if again else None


def positive(rows: Iterable[ClaimRow]) -> list[ClaimRow]:
    return [row for row in rows if row.kind in POSITIVE]


def negative(rows: Iterable[ClaimRow]) -> list[ClaimRow]:
    return [row for row in rows if row.kind not in POSITIVE]
