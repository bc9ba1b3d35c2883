"""Numbers of fixed twins: what a reviewer says of the same change without the bug (docs/numbers.md).

They are in no other number. Reps are averaged within a case first, in exact fractions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from pytest_reviewbench.model import STATUSES, TWIN
from pytest_reviewbench.scoring.outcomes import Outcome
from pytest_reviewbench.scoring.tally import Number, plain


def count_twins(cases: Iterable[Outcome], twins: Collection[Outcome]) -> dict[str, Number]:
    """Every number about `twins` (one arm, any reps), by name; `cases` are the arm's reviews of the cases.

    A hit on a twin is a claim that is false: the bug is not there. `discrimination` is over cases of which both the
    case and its twin have a used review: the chance that the one names a bug of the case and the other none.
    """
    rows = twin_rows(cases, twins).values()
    told_apart = sum((row.told_apart for row in rows), Fraction(0))
    false_claims = sum((row.claimed for row in rows), Fraction(0))
    pairs = sum(row.pair for row in rows)
    costs = [o.cost_usd for o in twins if o.cost_usd is not None]
    seconds = [o.seconds for o in twins if o.seconds is not None]
    return {
        "hallucinated_hit_rate": _ratio(false_claims, len(rows)),
        "discrimination": _ratio(told_apart, pairs),
        "twins": len({o.case for o in twins}),
        "twins_used": sum(o.used for o in twins),
        "twins_counted": len(rows),
        "twins_claimed": plain(false_claims),
        "twin_pairs": pairs,
        "twins_told_apart": plain(told_apart),
        **{f"twins_{status}": sum(o.status == status for o in twins) for status in STATUSES},
        "twins_tainted": sum(o.tainted for o in twins),
        "twins_cost_usd": round(sum(sorted(costs)), 9) if costs else None,
        "twins_cost_known": len(costs),
        "twins_seconds": round(sum(sorted(seconds)), 9) if seconds else None,
    }


class TwinRow(NamedTuple):
    """A case with its twin: the share of the twin's reviews that claim the bug; is the case known as well (`pair`),
    and the chance that a review of it hits and one of the twin does not. `counted` is 1.
    """

    claimed: Any
    told_apart: Any
    pair: Any
    counted: Any


def twin_rows(cases: Iterable[Outcome], twins: Iterable[Outcome]) -> dict[str, TwinRow]:
    """A row per case whose twin has a used review, by the id of the case."""
    hit, claimed = _shares(o for o in cases if o.bugs), _shares(twins)
    rows = {}
    for twin, false in claimed.items():
        case = twin.removesuffix(TWIN)
        told = hit[case] * (1 - false) if case in hit else Fraction(0)
        rows[case] = TwinRow(false, told, int(case in hit), 1)
    return rows


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
