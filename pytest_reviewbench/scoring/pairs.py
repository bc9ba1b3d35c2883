"""Two arms side by side on the cases that both finished: who solved what, at what price, and how sure that is."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pytest_reviewbench.scoring.intervals import cases_needed, mcnemar
from pytest_reviewbench.scoring.outcomes import Outcome
from pytest_reviewbench.scoring.tally import grouped


@dataclass(frozen=True, slots=True)
class PairCounts:
    """What two arms did on their `cases` in common.

    Of those with bugs, `both`, `only_a`, `only_b`, `neither` count the cases of which an arm hit all bugs in more
    than half of its reps; `bugs`, and `bugs_a` and `bugs_b` of them hit, are averaged over reps. `judged`: by
    verdicts, because the bugs have no regexes. Costs are over the `cost_cases` of which both are known and above 0.
    """

    cases: int
    bugs: float
    bugs_a: float
    bugs_b: float
    judged: bool
    both: int
    only_a: int
    only_b: int
    neither: int
    p: float | None
    needed_cases: int | None
    cost_ratio: float | None
    cost_ratio_of_medians: float | None
    cost_cases: int


def count_pair(a: Collection[Outcome], b: Collection[Outcome]) -> PairCounts:
    """Everything of two arms (any reps, without their twins) but the differences of rates and their intervals."""
    judged = any(o.judged_only for o in (*a, *b))
    ours, theirs = _by_case(a, judged=judged), _by_case(b, judged=judged)
    cases = [case for case in ours if case in theirs]
    buggy = [case for case in cases if ours[case][0].bugs]
    solved = [(_solved(ours[case], judged=judged), _solved(theirs[case], judged=judged)) for case in buggy]
    hits = {case: (_hits(ours[case], judged=judged), _hits(theirs[case], judged=judged)) for case in buggy}
    bugs = {case: len(ours[case][0].bugs or ()) for case in buggy}
    only_a, only_b = solved.count((True, False)), solved.count((False, True))
    costs = [
        (one, other)
        for case in cases
        if (one := _cost(ours[case])) is not None and (other := _cost(theirs[case])) is not None and one and other
    ]
    medians = [statistics.median(column) for column in zip(*costs, strict=True)]
    return PairCounts(
        cases=len(cases),
        bugs=sum(bugs.values()),
        bugs_a=sum(one for one, _ in hits.values()),
        bugs_b=sum(other for _, other in hits.values()),
        judged=judged,
        both=solved.count((True, True)),
        only_a=only_a,
        only_b=only_b,
        neither=solved.count((False, False)),
        p=mcnemar(only_a, only_b) if buggy else None,
        needed_cases=cases_needed(_spread(bugs, hits)),
        cost_ratio=statistics.median(one / other for one, other in costs) if costs else None,
        cost_ratio_of_medians=medians[0] / medians[1] if costs else None,
        cost_cases=len(costs),
    )


def _spread(bugs: Mapping[str, int], hits: Mapping[str, tuple[float, float]]) -> float:
    """The standard deviation of what a case adds to the difference of recall (linearised: a ratio of sums)."""
    if len(bugs) < 2:
        return 0.0
    mean = statistics.fmean(bugs.values())
    apart = sum(one - other for one, other in hits.values()) / sum(bugs.values())
    return statistics.stdev(
        (hits[case][0] - hits[case][1] - apart * number) / mean for case, number in bugs.items()
    )


def _by_case(outcomes: Collection[Outcome], *, judged: bool) -> Mapping[str, list[Outcome]]:
    counted = (o for o in outcomes if not o.is_twin and (o.judged if judged else o.used))
    return {case: [*group] for case, group in grouped(counted, lambda o: o.case).items()}


def _found(o: Outcome, *, judged: bool) -> int:
    return len(o.named_bugs if judged else o.hit_bugs)


def _hits(reps: Collection[Outcome], *, judged: bool) -> float:
    return sum(_found(o, judged=judged) for o in reps) / len(reps)


def _solved(reps: Collection[Outcome], *, judged: bool) -> bool:
    return 2 * sum(_found(o, judged=judged) == len(o.bugs or ()) for o in reps) > len(reps)


def _cost(reps: Collection[Outcome]) -> float | None:
    known = [o.cost_usd for o in reps if o.cost_usd is not None]
    return sum(sorted(known)) / len(known) if len(known) == len(reps) else None
