"""Resampling of cases: the sums of `scoring.tally` as they would come out over other cases of the same kind."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RESAMPLES = 10_000
SEED = 1
FEW = 5
"""Where so many cases come to one distinct row, it is faster to draw how often each distinct row comes."""

BLOCK = 1 << 19
"""Draws at once: they stay in the processor's cache."""


def resampled_sums(rows: Array, resamples: int = RESAMPLES, seed: int = SEED) -> Array:
    """Sums over cases in each of `resamples` resamples: (resamples, columns).

    `rows` is (cases, columns), one row per case (or per cluster of cases). A resample draws as many rows as there
    are, each with the same chance, with replacement (Efron 1979): how often which is multinomial. The same rows in
    the same order give the same sums.
    """
    cases, columns = rows.shape
    sums = np.zeros((resamples, columns))
    if cases == 0:
        return sums
    random = np.random.default_rng(seed)
    distinct, equal = np.unique(rows, axis=0, return_counts=True)
    if FEW * len(distinct) < cases:
        drawn_rows: Array = random.multinomial(cases, equal / cases, resamples) @ distinct
        return drawn_rows
    step = max(1, BLOCK // cases)
    for start in range(0, resamples, step):
        many = min(step, resamples - start)
        drawn = random.integers(0, cases, (many, cases))
        drawn += (np.arange(many) * cases)[:, np.newaxis]
        times = np.bincount(drawn.ravel(), minlength=many * cases).reshape(many, cases)
        sums[start : start + many] = times @ rows
    return sums
