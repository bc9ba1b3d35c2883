"""95 % intervals of single numbers, and how sure a difference is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

LEVEL = 0.95
Z = 1.96
POWER = 0.8


class Ends(NamedTuple):
    """Ends of an interval."""

    low: float
    high: float


def percentile_ends(values: Any) -> Ends | None:
    """The middle 95 % of resampled `values` (an array; NaN where a resample has no such number); None: none has."""
    known = values[np.isfinite(values)]
    if known.size == 0:
        return None
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Ends(float(low), float(high))


def wilson(hits: float, n: float, z: float = Z) -> Ends | None:
    """The score interval of a proportion `hits` / `n` (Wilson 1927); None when `n` is 0."""
    if not n:
        return None
    share = hits / n
    middle = share + z * z / (2 * n)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return Ends(max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale))


def mcnemar(only_a: int, only_b: int) -> float:
    """Two-sided p of the exact test that cases only one of two arms solved fall to either alike (McNemar 1947).

    Twice the smaller tail of a binomial with chance one half, at most 1.
    """
    n = only_a + only_b
    tail = sum(math.comb(n, k) for k in range(min(only_a, only_b) + 1))
    return float(min(Fraction(1), Fraction(2 * tail, 2**n)))


def holm(values: Sequence[float]) -> list[float]:
    """p values corrected for how many tests there are (Holm 1979), in the order given."""
    order = sorted(range(len(values)), key=values.__getitem__)
    corrected, least = [0.0] * len(values), 0.0
    for rank, n in enumerate(order):
        least = max(least, min(1.0, (len(values) - rank) * values[n]))
        corrected[n] = least
    return corrected


def cases_needed(spread: float, difference: float = 0.05) -> int | None:
    """How many cases two arms must share for a true `difference` to be seen (two-sided 5 %, power 80 %).

    `spread` is the standard deviation of a case's difference, in the same unit; None when it is 0: nothing to go
    by. The usual normal approximation for a mean of paired differences.
    """
    if not spread > 0:
        return None
    normal = NormalDist()
    z = normal.inv_cdf((1 + LEVEL) / 2) + normal.inv_cdf(POWER)
    return math.ceil((z * spread / difference) ** 2)
