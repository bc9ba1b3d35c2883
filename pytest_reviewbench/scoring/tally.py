"""What reviews amount to, as sums from which every rate is made.

One review is a tuple of whole numbers, the reps of a case are averaged, cases are summed. The sums are exact
fractions here; `scoring.resampling` makes arrays of them, one element per resample, under the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from pytest_reviewbench.scoring.assignment import distinct_matches
from pytest_reviewbench.scoring.outcomes import Outcome

Number = float | int | None
"""Of a table of numbers by name; null is 0/0, or not known."""


class Tally(NamedTuple):
    """Sums over used reviews. The values are numbers, fractions or arrays of equal shape."""

    bugs: Any
    bugs_hit: Any
    findings: Any
    matched: Any
    distinct: Any
    clean: Any
    alarms: Any
    touching: Any
    touching_known: Any
    gone: Any
    gone_known: Any


class JudgedTally(NamedTuple):
    """Sums over judged reviews, likewise."""

    bugs: Any
    named: Any
    findings: Any
    gt_same: Any
    real: Any
    not_a_bug: Any
    unverifiable: Any
    clean: Any
    alarms: Any
    misses: Any
    overreach: Any


def tallied(o: Outcome) -> Tally:
    """One review by the strict matcher."""
    touches, gone = [*o.touches_fix.values()], [*o.gone_when_fixed.values()]
    return Tally(
        bugs=len(o.bugs or ()),
        bugs_hit=len(o.hit_bugs),
        findings=len(o.findings),
        matched=len(o.hits),
        distinct=distinct_matches(o.hits),
        clean=int(o.clean),
        alarms=int(o.clean and bool(o.findings)),
        touching=touches.count(True),
        touching_known=len(touches) - touches.count(None),
        gone=gone.count(True),
        gone_known=len(gone) - gone.count(None),
    )


def judged_tally(o: Outcome) -> JudgedTally:
    """One judged review by its verdicts."""
    said = {name: o.verdicts[name].verdict for name in o.findings}
    words = [*said.values()]
    return JudgedTally(
        bugs=len(o.bugs or ()),
        named=len(o.named_bugs),
        findings=len(words),
        gt_same=words.count("gt_same"),
        real=words.count("real"),
        not_a_bug=words.count("not_a_bug"),
        unverifiable=words.count("unverifiable"),
        clean=int(o.clean),
        alarms=int(o.clean and "not_a_bug" in words),
        misses=sum(word == "gt_same" and name not in o.hits for name, word in said.items()),
        overreach=sum(word in ("real", "not_a_bug") and name in o.hits for name, word in said.items()),
    )


def mean_sums(
    outcomes: Iterable[Outcome], values: Callable[[Outcome], Sequence[int]], width: int
) -> list[Fraction]:
    """For each of `width` values: the sum over cases of the mean over their reps."""
    rows: dict[
        int, list[Sequence[int]]
    ] = {}  # per number of reps: adding 10,000 fractions one by one takes a second
    for group in grouped(outcomes, lambda o: o.case).values():
        rows.setdefault(len(group), []).extend(map(values, group))
    sums = [Fraction(0)] * width
    for reps, many in rows.items():
        sums = [
            one + Fraction(sum(column), reps) for one, column in zip(sums, zip(*many, strict=True), strict=True)
        ]
    return sums


def means_by_case(
    outcomes: Iterable[Outcome], values: Callable[[Outcome], Sequence[int]]
) -> dict[str, tuple[float, ...]]:
    """Per case the mean of each value over its reps, cases sorted."""
    return {
        case: tuple(sum(column) / len(group) for column in zip(*map(values, group), strict=True))
        for case, group in grouped(outcomes, lambda o: o.case).items()
    }


def plain(value: Fraction) -> float | int:
    """A whole number as one."""
    return int(value) if value.denominator == 1 else float(value)


def grouped(outcomes: Iterable[Outcome], key: Callable[[Outcome], str]) -> Mapping[str, Sequence[Outcome]]:
    """`outcomes` by `key`, keys sorted."""
    groups: dict[str, list[Outcome]] = {}
    for o in outcomes:
        groups.setdefault(key(o), []).append(o)
    return dict(sorted(groups.items()))
