"""What several verifiers make of the same findings, as data."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_reviewbench.model import CaseId, Count, Record, VerdictWord


class Agreement(Record, frozen=True, kw_only=True):
    """How far all verifiers agree on the `findings` that two or more judged; null where it is not defined.

    `raw` is the share of agreeing pairs of verifiers; Fleiss' kappa is over the `fleiss_findings` that most of them
    judged, Krippendorff's alpha over all.
    """

    findings: Count
    raw: float | None
    fleiss: float | None
    fleiss_findings: Count
    alpha: float | None


class VerifierPair(Record, frozen=True, kw_only=True):
    """Two verifiers on the `findings` that both judged: on how many they agree, and Cohen's kappa."""

    a: CaseId
    b: CaseId
    findings: Count
    agreed: Count
    kappa: float | None


class Disputed(Record, frozen=True, kw_only=True):
    """A finding on which verifiers disagree: who reported it, and the word of each. Never a reason."""

    case: CaseId
    finding: str
    arms: tuple[CaseId, ...]
    words: Mapping[str, VerdictWord]


class Panel(Record, frozen=True, kw_only=True):
    """Several verifiers on the same findings; one that several reviews share counts once.

    `words`: agreement on the four verdicts; `truth`: on whether a finding is true (`gt_same` or `real`) or not.
    """

    verifiers: tuple[CaseId, ...]
    words: Agreement
    truth: Agreement
    pairs: tuple[VerifierPair, ...]
    disputed: tuple[Disputed, ...]
