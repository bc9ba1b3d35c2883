"""How sure the numbers of arms and their differences are: all of it from one resampling of the cases."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np

from pytest_reviewbench.scoring.intervals import Ends, percentile_ends, wilson
from pytest_reviewbench.scoring.outcomes import Outcome
from pytest_reviewbench.scoring.rates import BY_MATCHER, JUDGED, STRICT, TWINS, Part
from pytest_reviewbench.scoring.resampling import Array, resampled_sums
from pytest_reviewbench.scoring.score_intervals import difference_interval, ratio_interval
from pytest_reviewbench.scoring.tally import JudgedTally, Tally, judged_tally, means_by_case, tallied
from pytest_reviewbench.scoring.twins import TwinRow, apart, twin_rows

Clusters = Literal["case", "origin"]
Method = Literal["bootstrap", "wilson"]
Rows = Mapping[str, Sequence[float]]
"""Per case the values of a tally, reps averaged."""

Key = tuple[str, ...]
"""(arm, kind) or (arm, other arm, kind): the first arm's rows, of a pair on the cases of both."""

OF_CASES = frozenset({"false_alarms_clean", "false_alarms_judged", "hallucinated_hit_rate", "discrimination"})
"""Rates over cases: where each of those says yes or no, the interval is Wilson's."""


class Measured(NamedTuple):
    """A number with its interval, and the one for few cases (`score`); `value` is null for 0/0."""

    value: float | None
    ends: Ends | None
    method: Method = "bootstrap"
    score: Ends | None = None


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """`arms`: each rate by arm and name; `pairs`: the difference of each rate by (arm, arm) and name."""

    arms: Mapping[str, Mapping[str, Measured]]
    pairs: Mapping[tuple[str, str], Mapping[str, Measured]]


class _Kind(NamedTuple):
    """Rates that are made of one kind of tally."""

    tally: Callable[..., Any]
    rates: Mapping[str, Callable[[Any], Part]]


_KINDS = (_Kind(Tally, STRICT), _Kind(JudgedTally, JUDGED), _Kind(TwinRow, TWINS))


class _Arm(NamedTuple):
    """The rows of an arm for each of `_KINDS`."""

    rows: tuple[Rows, ...]
    without: frozenset[str]


def measure(
    arms: Mapping[str, Collection[Outcome]],
    *,
    clusters: Clusters = "case",
    pairs: Iterable[tuple[str, str]] | None = None,
) -> Uncertainty:
    """Intervals of all `arms` and of the differences first - second of `pairs` (None: every two, in their order).

    The cases of which any arm has a used review are resampled once, and every number is taken from the same
    resamples, over those of the drawn cases that count for it: a difference is over the cases that both arms
    finished. `clusters="origin"` draws packages with all their cases instead. Percentile bootstrap, 10,000
    resamples, seed 1.
    """
    read = {name: _read(outcomes) for name, outcomes in arms.items()}
    wanted = [*combinations(arms, 2)] if pairs is None else [*pairs]
    blocks: dict[Key, Rows] = {}
    for name, arm in read.items():
        for kind, rows in enumerate(arm.rows):
            blocks[name, str(kind)] = rows
    for a, b in wanted:
        for kind in range(len(_KINDS)):
            ours, theirs = read[a].rows[kind], read[b].rows[kind]
            if ours.keys() != theirs.keys():
                blocks[a, b, str(kind)] = {case: row for case, row in ours.items() if case in theirs}
                blocks[b, a, str(kind)] = {case: row for case, row in theirs.items() if case in ours}
    origins = {o.case: o.origin or o.case for outcomes in arms.values() for o in outcomes if o.bugs is not None}
    cases = sorted({case for rows in blocks.values() for case in rows})
    unit = {case: (origins.get(case, case) if clusters == "origin" else case) for case in cases}
    resampled = _resampled(blocks, cases, unit)
    return Uncertainty(
        arms={name: _of_arm(name, arm, blocks, resampled) for name, arm in read.items()},
        pairs={(a, b): _of_pair(a, b, read[a].without | read[b].without, blocks, resampled) for a, b in wanted},
    )


def _read(outcomes: Collection[Outcome]) -> _Arm:
    cases, twins = apart(outcomes)
    strict = means_by_case((o for o in cases if o.used), tallied)
    judged = means_by_case((o for o in cases if o.judged), judged_tally)
    beside = {case: tuple(map(float, row)) for case, row in twin_rows(cases, twins).items()}
    return _Arm((strict, judged, beside), BY_MATCHER if any(o.judged_only for o in cases) else frozenset())


def _resampled(blocks: Mapping[Key, Rows], cases: Sequence[str], unit: Mapping[str, str]) -> dict[Key, Array]:
    """Per block the sums of its columns in each resample."""
    units = {name: n for n, name in enumerate(sorted(set(unit.values())))}
    place = {case: units[unit[case]] for case in cases}
    table = np.zeros((len(units), sum(_width(key) for key in blocks)))
    at, columns = 0, {}
    for key, rows in blocks.items():
        columns[key] = slice(at, at := at + _width(key))
        if rows:
            np.add.at(table[:, columns[key]], [place[case] for case in rows], np.array([*rows.values()]))
    used = np.flatnonzero(table.any(axis=0))  # most columns of twins and evidence are empty
    sums = np.zeros((len(resampled := resampled_sums(table[:, used])), table.shape[1]))
    sums[:, used] = resampled
    return {key: sums[:, column] for key, column in columns.items()}


def _width(key: Key) -> int:
    return len(_KINDS[int(key[-1])].tally._fields)  # type: ignore[attr-defined]


def _of_arm(
    name: str, arm: _Arm, blocks: Mapping[Key, Rows], resampled: Mapping[Key, Array]
) -> dict[str, Measured]:
    found = {}
    for n, kind in enumerate(_KINDS):
        rows, sums = blocks[name, str(n)], resampled[name, str(n)]
        for rate, part in kind.rates.items():
            if rate in arm.without:
                continue
            value, ends = _rate(kind, part, rows), percentile_ends(_rates(kind, part, sums))
            yes_or_no = [part(kind.tally(*row)) for row in rows.values()] if rate in OF_CASES else []
            if value is not None and yes_or_no and all(one in ((0, 1), (1, 1), (0, 0)) for one in yes_or_no):
                n_cases = sum(whole for _, whole in yes_or_no)
                found[rate] = Measured(value, wilson(sum(hit for hit, _ in yes_or_no), n_cases), "wilson")
            elif value is not None:
                found[rate] = Measured(value, ends, score=ratio_interval(*_columns(kind, part, rows)))
    return found


def _of_pair(
    a: str,
    b: str,
    without: frozenset[str],
    blocks: Mapping[Key, Rows],
    resampled: Mapping[Key, Array],
) -> dict[str, Measured]:
    found = {}
    for n, kind in enumerate(_KINDS):
        own = (a, b, str(n)) not in blocks  # the same cases: their own sums serve
        ours: Key = (a, str(n)) if own else (a, b, str(n))
        theirs: Key = (b, str(n)) if own else (b, a, str(n))
        for rate, part in kind.rates.items():
            if rate in without:
                continue
            one, other = _rate(kind, part, blocks[ours]), _rate(kind, part, blocks[theirs])
            if one is not None and other is not None:
                apart_by = _rates(kind, part, resampled[ours]) - _rates(kind, part, resampled[theirs])
                score = difference_interval(
                    _columns(kind, part, blocks[ours]), _columns(kind, part, blocks[theirs])
                )
                found[rate] = Measured(one - other, percentile_ends(apart_by), score=score)
    return found


def _rate(kind: _Kind, part: Callable[[Any], Part], rows: Rows) -> float | None:
    """The rate over all cases."""
    if not rows:
        return None
    hit, whole = part(kind.tally(*map(sum, zip(*rows.values(), strict=True))))
    return float(hit / whole) if whole else None


def _columns(kind: _Kind, part: Callable[[Any], Part], rows: Rows) -> tuple[Array, Array]:
    """The rate's part and whole of each case, cases sorted."""
    table = np.array([rows[case] for case in sorted(rows)], dtype=float)
    hit, whole = part(kind.tally(*table.T))
    return hit, whole


def _rates(kind: _Kind, part: Callable[[Any], Part], sums: Array) -> Array:
    """The rate in each resample; NaN where it is 0/0."""
    hit, whole = part(kind.tally(*sums.T))
    with np.errstate(divide="ignore", invalid="ignore"):
        rates: Array = np.divide(hit, whole)
    return rates
