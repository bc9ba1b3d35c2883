"""Macro averages: a rate per case first, then the mean over cases, so that a case with many bugs weighs as any."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

from pytest_reviewbench.scoring.outcomes import Outcome
from pytest_reviewbench.scoring.tally import grouped

Rate = float | None


def macro_average(rates: Iterable[Iterable[Rate]]) -> float | None:
    """The mean over cases of the mean over each one's reps; null rates (0/0) are left out, cases of only those too.

    `rates` has one iterable per case; null when nothing is left. No order changes the last digit (`fsum`).
    """
    means = []
    for reps in rates:
        known = [rate for rate in reps if rate is not None]
        if known:
            means.append(math.fsum(known) / len(known))
    return math.fsum(means) / len(means) if means else None


def count_macro(judged: Collection[Outcome]) -> dict[str, float | None]:
    """Macro averages over `judged` reviews, by name.

    Precision is bugs named / findings of a review, as benchmarks that keep a row per review have it: one finding
    that names two bugs makes it exceed 1.
    """
    cases = [*grouped(judged, lambda o: o.case).values()]
    return {
        "macro_recall_judged": macro_average([_recall(o) for o in case] for case in cases),
        "macro_precision_judged": macro_average([_precision(o) for o in case] for case in cases),
        "macro_precision_judged_all": macro_average([_precision(o) or 0.0 for o in case] for case in cases),
    }


def _recall(o: Outcome) -> Rate:
    return len(o.named_bugs) / len(o.bugs) if o.bugs else None


def _precision(o: Outcome) -> Rate:
    return len(o.named_bugs) / len(o.findings) if o.findings else None
