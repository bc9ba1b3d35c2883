"""What an arm took: time, tokens, money, and money by what it brought. Unknown is null, never zero."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction

from pytest_reviewbench.scoring.outcomes import Outcome
from pytest_reviewbench.scoring.tally import Number, grouped

STARTED = ("ok", "unparsable", "error", "crashed")
"""Statuses of reviews that may have cost something."""


def count_spent(outcomes: Iterable[Outcome]) -> dict[str, Number]:
    """Sums over started reviews whose value is known, by name."""
    started = [o for o in outcomes if o.status in STARTED]
    used = [o for o in started if o.used]
    tokens = [
        (o.usage.input_tokens or 0) + (o.usage.output_tokens or 0)
        for o in started
        if o.usage and (o.usage.input_tokens is not None or o.usage.output_tokens is not None)
    ]
    turns = [o.usage.turns for o in started if o.usage and o.usage.turns is not None]
    seconds = [o.seconds for o in started if o.seconds is not None]
    reruns = [o.rerun_seconds for o in started if o.rerun_seconds is not None]
    loaded = [o.skill_loaded for o in started if o.skill_loaded is not None]
    costs = [o.cost_usd for o in started if o.cost_usd is not None]
    return {
        "started": len(started),
        "cost_usd": total(costs),
        "cost_known": len(costs),
        "cost_used_usd": total(o.cost_usd for o in used if o.cost_usd is not None),
        "seconds": total(seconds),
        "seconds_known": len(seconds),
        "seconds_mean": _mean(seconds),
        "rerun_seconds": total(reruns),
        "tokens": total(tokens),
        "tokens_known": len(tokens),
        "turns": total(turns),
        "turns_known": len(turns),
        "skill_loaded": sum(loaded) if loaded else None,
        "skill_known": len(loaded),
        "trigger_rate": sum(loaded) / len(loaded) if loaded else None,
    }


def count_costs(outcomes: Collection[Outcome], numbers: Mapping[str, Number]) -> dict[str, Number]:
    """Money per review and per bug found; null where any started review's cost is not known.

    A bug is paid for by one pass over the cases: costs are averaged over the reps of a case, as
    `numbers["bugs_hit"]` and `numbers["bugs_named"]` are. `..._verified` adds what the
    verifier cost, null where a share is not known.
    """
    started = [o for o in outcomes if o.status in STARTED]
    review = _pass([(o.case, o.cost_usd) for o in started])
    verify = _pass([(o.case, _verify_cost(o)) for o in started if o.judging is not None])
    held = any(o.judging is not None for o in started)
    verified = review + verify if held and review is not None and verify is not None else None
    hit, named = numbers["bugs_hit"], numbers["bugs_named"]
    return {
        "cost_per_review_usd": _over(review, len({o.case for o in started})),
        "cost_per_bug_usd": _over(review, hit),
        "cost_per_bug_verified_usd": _over(verified, hit),
        "cost_per_bug_named_usd": _over(review, named),
        "cost_per_bug_named_verified_usd": _over(verified, named),
    }


def cost_sources(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """How many started reviews have a cost from which source."""
    groups = grouped((o for o in outcomes if o.status in STARTED and not o.is_twin), lambda o: o.cost_source)
    return {source: len(group) for source, group in groups.items()}


def total(values: Iterable[float]) -> float | int | None:
    """Exact to the digit that a person would write: binary residue is rounded away at 10^-9."""
    known = sorted(values)
    return round(sum(known), 9) if known else None


def _verify_cost(o: Outcome) -> float | None:
    assert o.judging is not None
    known = [cost for cost in o.judging.costs if cost is not None]
    return sum(sorted(known)) if len(known) == len(o.judging.costs) else None


def _pass(costs: Collection[tuple[str, float | None]]) -> float | None:
    """The cost of one pass over the cases; None when any is not known, or there is none."""
    by_case: dict[str, list[float]] = {}
    for case, cost in costs:
        if cost is None:
            return None
        by_case.setdefault(case, []).append(cost)
    return sum(sorted(sum(sorted(each)) / len(each) for each in by_case.values())) if by_case else None


def _over(cost: float | None, number: Number | Fraction) -> float | None:
    return round(cost / float(number), 9) if cost is not None and number else None


def _mean(values: Collection[float]) -> float | None:
    return round(sum(sorted(values)) / len(values), 9) if values else None
