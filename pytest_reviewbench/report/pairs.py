"""Arms side by side: pairs with their differences, in numbers and in a sentence."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Literal

from pytest_reviewbench.report.cells import quantity
from pytest_reviewbench.report.document import Difference, Interval, Pair
from pytest_reviewbench.scoring.intervals import Ends, holm
from pytest_reviewbench.scoring.outcomes import Outcome
from pytest_reviewbench.scoring.pairs import PairCounts, count_pair
from pytest_reviewbench.scoring.uncertainty import Measured, Uncertainty

DIGITS = 9
"""Of stored intervals: what lies behind differs between builds of the linear algebra that sums."""


def intervals_of(measured: Mapping[str, Measured]) -> dict[str, Interval]:
    """The intervals of an arm's numbers, by name."""
    found = {name: interval(one) for name, one in measured.items()}
    return {name: made for name, made in found.items() if made is not None}


def score_intervals_of(measured: Mapping[str, Measured]) -> dict[str, Interval]:
    """Those for few cases, by name."""
    return {name: _interval(one.score, "score") for name, one in measured.items() if one.score is not None}


def interval(measured: Measured) -> Interval | None:
    """The one by which a number is known."""
    return None if measured.ends is None else _interval(measured.ends, measured.method)


def _interval(ends: Ends, method: Literal["bootstrap", "wilson", "score"]) -> Interval:
    low, high = (round(end, DIGITS) + 0.0 for end in ends)
    return Interval(low=low, high=high, method=method)


def build_pairs(arms: Mapping[str, Collection[Outcome]], uncertainty: Uncertainty) -> tuple[Pair, ...]:
    """Every pair that `uncertainty` knows, its p values corrected for all of them."""
    counted = {(a, b): count_pair(arms[a], arms[b]) for a, b in uncertainty.pairs}
    tested = [pair for pair, counts in counted.items() if counts.p is not None]
    corrected = dict(zip(tested, holm([counted[pair].p or 0.0 for pair in tested]), strict=True))
    return tuple(
        _pair(a, b, counts, uncertainty.pairs[a, b], corrected.get((a, b))) for (a, b), counts in counted.items()
    )


def _pair(a: str, b: str, counts: PairCounts, measured: Mapping[str, Measured], p_holm: float | None) -> Pair:
    numbers = {
        name: Difference(
            value=round(one.value, DIGITS) + 0.0,
            interval=interval(one),
            score_interval=None if one.score is None else _interval(one.score, "score"),
        )
        for name, one in measured.items()
        if one.value is not None
    }
    kept = {field.name for field in dataclasses.fields(counts)} - {"bugs", "bugs_a", "bugs_b", "judged"}
    return Pair(
        a=a,
        b=b,
        numbers=numbers,
        p_holm=p_holm,
        said=_sentence(a, b, counts, numbers),
        **{name: getattr(counts, name) for name in kept},
    )


def _sentence(a: str, b: str, counts: PairCounts, numbers: Mapping[str, Difference]) -> str:
    """What the pair shows of the bugs found, for people: the better one first."""
    if not counts.cases:
        return f"{a} and {b} finished no case in common"
    if not counts.bugs:
        return f"{a} and {b} finished {counts.cases} cases in common, none of them with a bug"
    better, worse = (a, b) if counts.bugs_a >= counts.bugs_b else (b, a)
    more = round(abs(counts.bugs_a - counts.bugs_b), DIGITS)
    of = f"{quantity(_plain(counts.bugs))} bug{'s' * (counts.bugs != 1)}"
    if more:
        said = f"{better} found {quantity(_plain(more))} more of {of} than {worse}"
    else:
        said = f"{a} and {b} found equally many of {of} ({quantity(_plain(counts.bugs_a))})"
    difference = numbers.get("recall_adjudicated" if counts.judged else "recall_strict")
    ends = difference.interval if difference else None
    if ends is None:
        return said
    low, high = (ends.low, ends.high) if better == a else (-ends.high, -ends.low)
    inside = low <= 0 <= high
    return (
        f"{said}; no difference is {'within' if inside else 'outside'} the interval "
        f"({100 * low:+.1f} to {100 * high:+.1f} points of recall)"
    )


def _plain(value: float) -> float | int:
    return int(value) if value == int(value) else value
