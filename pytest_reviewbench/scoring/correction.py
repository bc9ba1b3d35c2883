"""Rates corrected for what a judge gets wrong, measured on findings that a person has labelled too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pytest_reviewbench.scoring.intervals import Ends, percentile_ends
from pytest_reviewbench.scoring.resampling import RESAMPLES, SEED

LEAST = 5
"""So many labelled findings of each kind, true and not, are needed to say how good a judge is."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """`raw` as the judge has it, `value` corrected; null where it cannot be. All are shares of findings."""

    raw: float | None
    value: float | None
    ends: Ends | None
    sensitivity: float | None
    specificity: float | None
    positive: int
    negative: int


def corrected(judged: Sequence[bool], labelled: Sequence[tuple[bool, bool]]) -> Corrected:
    """The share of `judged` findings that are positive, corrected by `labelled` (judge's word, person's word).

    (raw + specificity - 1) / (sensitivity + specificity - 1), clipped to [0, 1] (Rogan and Gladen 1978). Null with
    fewer than `LEAST` labels of either kind, or where the judge is no better than chance (the denominator is not
    above 0). The 95 % interval is the percentile bootstrap over the judged findings and, apart from them, over the
    labelled ones of each kind: all three are drawn anew. Resamples in which the judge is no better than chance
    have no value; where more than one in twenty are such, there is no interval.
    """
    hits = sum(judged)
    positive = [judge for judge, person in labelled if person]
    negative = [not judge for judge, person in labelled if not person]
    raw = hits / len(judged) if judged else None
    sensitivity = sum(positive) / len(positive) if positive else None
    specificity = sum(negative) / len(negative) if negative else None
    none = Corrected(raw, None, None, sensitivity, specificity, len(positive), len(negative))
    if raw is None or sensitivity is None or specificity is None or min(len(positive), len(negative)) < LEAST:
        return none
    better = sensitivity + specificity - 1
    if better <= 1e-12:
        return none
    value = min(1.0, max(0.0, (raw + specificity - 1) / better))
    random = np.random.default_rng(SEED)
    raws = random.binomial(len(judged), raw, RESAMPLES) / len(judged)
    trues = random.binomial(len(positive), sensitivity, RESAMPLES) / len(positive)
    falses = random.binomial(len(negative), specificity, RESAMPLES) / len(negative)
    margins = trues + falses - 1
    usable = margins > 1e-12
    values = np.clip((raws[usable] + falses[usable] - 1) / margins[usable], 0, 1)
    ends = percentile_ends(values) if usable.mean() >= 0.95 else None
    return Corrected(raw, value, ends, sensitivity, specificity, len(positive), len(negative))
