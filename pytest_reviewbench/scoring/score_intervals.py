"""Intervals for few cases: Wilson's, carried over to ratios of sums and to paired differences.

Percentile intervals are too narrow for few cases, and have no width at all where every case came out alike
(docs/numbers.md#sure has the simulation). These are not.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pytest_reviewbench.scoring.intervals import Ends, wilson

Array = NDArray[np.float64]


def ratio_interval(part: Array, whole: Array) -> Ends | None:
    """An interval of sum(part) / sum(whole), one element per case; None for 0/0.

    Wilson's with the number of independent trials that would vary as much as these cases do: the variance of a
    ratio of sums (linearised, Cochran 1977) against that of a proportion (Korn and Graubard 1998). It is at most
    the sum of `whole`; where the cases do not vary at all it is the number of cases that count.
    """
    total = float(whole.sum())
    if not total:
        return None
    share = float(part.sum()) / total
    return wilson(share * (trials := _trials(part, whole, share)), trials)


def difference_interval(a: tuple[Array, Array], b: tuple[Array, Array]) -> Ends | None:
    """An interval of the difference of two ratios, each (part, whole) over the same cases; None where one is 0/0.

    From the intervals of both and how they go together (Newcombe 1998 for paired proportions, with the plain
    correlation; Zou and Donner 2008).
    """
    first, second = ratio_interval(*a), ratio_interval(*b)
    if first is None or second is None:
        return None
    p, q = (float(part.sum() / whole.sum()) for part, whole in (a, b))
    together = _correlation(_residuals(*a, p), _residuals(*b, q))
    low = _reach(p - first.low, second.high - q, together)
    high = _reach(first.high - p, q - second.low, together)
    return Ends(max(-1.0, p - q - low), min(1.0, p - q + high))


def _trials(part: Array, whole: Array, share: float) -> float:
    counted = int((whole > 0).sum())
    total = float(whole.sum())
    variance = float((_residuals(part, whole, share) ** 2).sum()) / total**2
    if not variance or not 0 < share < 1:
        return float(counted)
    return min(total, share * (1 - share) / variance)


def _residuals(part: Array, whole: Array, share: float) -> Array:
    residuals: Array = part - share * whole
    return residuals


def _correlation(a: Array, b: Array) -> float:
    scale = math.sqrt(float((a**2).sum()) * float((b**2).sum()))
    return float((a * b).sum()) / scale if scale else 0.0


def _reach(one: float, other: float, together: float) -> float:
    return math.sqrt(max(0.0, one**2 - 2 * together * one * other + other**2))
