"""Numbers of fixed twins: what a reviewer says of the same change without the bug (docs/numbers.md).

They are in no other number. Reps are averaged within a case first, in exact fractions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction

from pytest_reviewbench.model import STATUSES, TWIN
from pytest_reviewbench.scoring.outcomes import Outcome

Number = float | int | None


def count_twins(cases: Iterable[Outcome], twins: Collection[Outcome]) -> dict[str, Number]:
    """Every number about `twins` (one arm, any reps), by name; `cases` are the arm's reviews of the cases.

    A hit on a twin is a claim that is false: the bug is not there. `discrimination` is over cases of which both the
    case and its twin have a used review: the chance that the one names a bug of the case and the other none.
    """
    hit = _shares(o for o in cases if o.bugs)
    claimed = _shares(twins)
    pairs = [(hit[name], claimed[twin]) for twin in claimed if (name := twin.removesuffix(TWIN)) in hit]
    told_apart = sum((share * (1 - false) for share, false in pairs), Fraction(0))
    false_claims = sum(claimed.values(), Fraction(0))
    costs = [o.cost_usd for o in twins if o.cost_usd is not None]
    seconds = [o.seconds for o in twins if o.seconds is not None]
    return {
        "hallucinated_hit_rate": _ratio(false_claims, len(claimed)),
        "discrimination": _ratio(told_apart, len(pairs)),
        "twins": len({o.case for o in twins}),
        "twins_used": sum(o.used for o in twins),
        "twins_counted": len(claimed),
        "twins_claimed": _plain(false_claims),
        "twin_pairs": len(pairs),
        "twins_told_apart": _plain(told_apart),
        **{f"twins_{status}": sum(o.status == status for o in twins) for status in STATUSES},
        "twins_tainted": sum(o.tainted for o in twins),
        "twins_cost_usd": round(sum(sorted(costs)), 9) if costs else None,
        "twins_cost_known": len(costs),
        "twins_seconds": round(sum(sorted(seconds)), 9) if seconds else None,
    }


def _shares(outcomes: Iterable[Outcome]) -> dict[str, Fraction]:
    """Per case the share of its used reviews in which the matcher fires; cases without one left out."""
    fired: dict[str, list[bool]] = {}
    for o in outcomes:
        if o.used:
            fired.setdefault(o.case, []).append(bool(o.hits))
    return {case: Fraction(sum(hits), len(hits)) for case, hits in sorted(fired.items())}


def apart(outcomes: Iterable[Outcome]) -> tuple[list[Outcome], list[Outcome]]:
    """(reviews of cases, reviews of twins)."""
    parts: Mapping[bool, list[Outcome]] = {False: [], True: []}
    for o in outcomes:
        parts[o.is_twin].append(o)
    return parts[False], parts[True]


def _ratio(part: Fraction, whole: int) -> float | None:
    return float(part / whole) if whole else None


def _plain(value: Fraction) -> float | int:
    return int(value) if value.denominator == 1 else float(value)
