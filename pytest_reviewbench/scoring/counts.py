"""The numbers of one arm: strict recall and precision and what stands beside them (docs/numbers.md).

Reps are averaged within a case first, cases are summed after that, and every sum is an exact fraction: the
order of cases, reps and findings changes nothing. 0/0 is null.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from pytest_reviewbench.model import SEVERITIES, STATUSES
from pytest_reviewbench.scoring.assignment import distinct_matches
from pytest_reviewbench.scoring.outcomes import Outcome
from pytest_reviewbench.scoring.twins import apart, count_twins

Number = float | int | None

STARTED = ("ok", "unparsable", "error", "crashed")
"""Statuses of reviews that may have cost something."""


def count(every: Iterable[Outcome]) -> dict[str, Number]:
    """Every number of docs/numbers.md over `every` outcome (one arm, any reps), by name.

    Verified numbers are over the reviews with a complete set of verdicts, null where there is none. Twins are in
    the numbers about them and in no other.
    """
    outcomes, twins = apart(every)
    return {
        **{status: sum(o.status == status for o in outcomes) for status in STATUSES},
        "cases": len({o.case for o in outcomes}),
        "used": sum(o.used for o in outcomes),
        "tainted": sum(o.tainted for o in outcomes),
        "refused_looks": sum(o.refused for o in outcomes),
        **_strict(_tally(o for o in outcomes if o.used), ""),
        **_strict(_tally(o if o.used else _silent(o) for o in outcomes if _parsable_or_not(o)), "_all"),
        **count_judged(outcomes),
        **_spent(outcomes),
        **count_twins(outcomes, twins),
    }


def count_judged(outcomes: Collection[Outcome]) -> dict[str, Number]:
    """The numbers that need verdicts, by name, with what the verifier cost. Nobody judges twins."""
    outcomes, _ = apart(outcomes)
    judged = [o for o in outcomes if o.judged]
    j = _Judged(*_mean_sums(judged, _judged, len(_Judged._fields)))
    true = j.gt_same + j.real
    held = [o.judging for o in outcomes if o.judging is not None]
    costs = [cost for one in held for cost in one.costs]
    known = [cost for cost in costs if cost is not None]
    return {
        "judged": len(judged),
        "recall_adjudicated": _ratio(j.named, j.bugs),
        "precision_verified": _ratio(true, j.findings),
        "unverifiable_share": _ratio(j.unverifiable, j.findings),
        "precision_verified_decided": _ratio(true, j.findings - j.unverifiable),
        "precision_bugs_judged": _ratio(j.named, j.named + j.findings - j.gt_same),
        "false_alarms_judged": _ratio(j.alarms, j.clean),
        "matcher_misses": _plain(j.misses) if judged else None,
        "matcher_overreach": _plain(j.overreach) if judged else None,
        "bugs_judged": _plain(j.bugs),
        "bugs_named": _plain(j.named),
        "findings_judged": _plain(j.findings),
        "gt_same": _plain(j.gt_same),
        "real": _plain(j.real),
        "not_a_bug": _plain(j.not_a_bug),
        "unverifiable": _plain(j.unverifiable),
        "clean_judged": _plain(j.clean),
        "clean_not_a_bug": _plain(j.alarms),
        "verify_failed": sum(one.verdicts is None for one in held),
        "verify_cost_usd": _sum(known),
        "verify_cost_known": len(known),
        "verify_sessions": len({name for one in held for name in one.sessions}),
    }


class _Judged(NamedTuple):
    """What the judged reviews amount to, reps averaged within a case."""

    bugs: Fraction
    named: Fraction
    findings: Fraction
    gt_same: Fraction
    real: Fraction
    not_a_bug: Fraction
    unverifiable: Fraction
    clean: Fraction
    alarms: Fraction
    misses: Fraction
    overreach: Fraction


def _judged(o: Outcome) -> tuple[int, ...]:
    """The fields of `_Judged` for one review."""
    said = {name: o.verdicts[name].verdict for name in o.findings}
    words = [*said.values()]
    return (
        len(o.bugs or ()),
        len(o.named_bugs & {bug.id for bug in o.bugs or ()}),
        len(words),
        words.count("gt_same"),
        words.count("real"),
        words.count("not_a_bug"),
        words.count("unverifiable"),
        o.clean,
        o.clean and "not_a_bug" in words,
        sum(word == "gt_same" and name not in o.hits for name, word in said.items()),
        sum(word in ("real", "not_a_bug") and name in o.hits for name, word in said.items()),
    )


def by_language(outcomes: Iterable[Outcome]) -> dict[str, dict[str, Number]]:
    """`count` per language, languages sorted; reviews of unknown language (nobody ran them) under `unknown`."""
    return {lang: count(group) for lang, group in _grouped(outcomes, lambda o: o.lang or "unknown").items()}


def by_rep(outcomes: Iterable[Outcome]) -> dict[str, dict[str, Number]]:
    """`count` per repetition, in order of their numbers."""
    groups = _grouped(outcomes, lambda o: str(o.rep))
    return {rep: count(groups[rep]) for rep in sorted(groups, key=int)}


def by_severity(outcomes: Collection[Outcome]) -> dict[str, dict[str, Number]]:
    """Bugs, hit bugs and `recall_strict` per severity of the bug; bugs without one under `unknown`."""
    used = [o for o in outcomes if o.used and not o.is_twin]
    table: dict[str, dict[str, Number]] = {}
    for severity in (*SEVERITIES, None):
        bugs, hit = _of_severity(used, severity)
        if bugs:
            table[severity or "unknown"] = {
                "bugs": _plain(bugs),
                "bugs_hit": _plain(hit),
                "recall_strict": _ratio(hit, bugs),
            }
    return table


class _Tally(NamedTuple):
    """What one set of reviews amounts to, reps averaged within a case."""

    bugs: Fraction
    bugs_hit: Fraction
    findings: Fraction
    matched: Fraction
    distinct: Fraction
    clean: Fraction
    alarms: Fraction
    touching: Fraction
    touching_known: Fraction
    gone: Fraction
    gone_known: Fraction


def _tally(outcomes: Iterable[Outcome]) -> _Tally:
    return _Tally(*_mean_sums(outcomes, _tallied, len(_Tally._fields)))


def _tallied(o: Outcome) -> tuple[int, ...]:
    """The fields of `_Tally` for one review."""
    touches, gone = [*o.touches_fix.values()], [*o.gone_when_fixed.values()]
    return (
        len(o.bugs or ()),
        len(o.hit_bugs),
        len(o.findings),
        len(o.hits),
        distinct_matches(o.hits),
        o.clean,
        o.clean and bool(o.findings),
        touches.count(True),
        len(touches) - touches.count(None),
        gone.count(True),
        len(gone) - gone.count(None),
    )


def _strict(t: _Tally, suffix: str) -> dict[str, Number]:
    unmatched = t.findings - t.matched
    duplicates = t.matched - t.distinct
    numbers: dict[str, Number] = {
        "recall_strict": _ratio(t.bugs_hit, t.bugs),
        "precision_strict": _ratio(t.matched, t.findings),
        "precision_strict_deduplicated": _ratio(t.distinct, t.findings - duplicates),
        "precision_bugs": _ratio(t.bugs_hit, t.bugs_hit + unmatched),
        "false_alarms_clean": _ratio(t.alarms, t.clean),
        "bugs": _plain(t.bugs),
        "clean": _plain(t.clean),
    }
    if not suffix:
        numbers |= {
            "bugs_hit": _plain(t.bugs_hit),
            "findings": _plain(t.findings),
            "findings_matched": _plain(t.matched),
            "duplicates": _plain(duplicates),
            "clean_with_findings": _plain(t.alarms),
            "touches_fix": _plain(t.touching) if t.touching_known else None,
            "touches_fix_known": _plain(t.touching_known),
            "gone_when_fixed": _plain(t.gone) if t.gone_known else None,
            "gone_when_fixed_known": _plain(t.gone_known),
        }
    return {name + suffix: value for name, value in numbers.items()}


def _spent(outcomes: Iterable[Outcome]) -> dict[str, Number]:
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
        "cost_usd": _sum(costs),
        "cost_known": len(costs),
        "cost_used_usd": _sum([o.cost_usd for o in used if o.cost_usd is not None]),
        "seconds": _sum(seconds),
        "seconds_known": len(seconds),
        "seconds_mean": _mean(seconds),
        "rerun_seconds": _sum(reruns),
        "tokens": _sum(tokens),
        "tokens_known": len(tokens),
        "turns": _sum(turns),
        "turns_known": len(turns),
        "skill_loaded": sum(loaded) if loaded else None,
        "skill_known": len(loaded),
        "trigger_rate": sum(loaded) / len(loaded) if loaded else None,
    }


def cost_sources(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """How many started reviews have a cost from which source."""
    groups = _grouped((o for o in outcomes if o.status in STARTED and not o.is_twin), lambda o: o.cost_source)
    return {source: len(group) for source, group in groups.items()}


def _parsable_or_not(o: Outcome) -> bool:
    return o.status in ("ok", "unparsable") and not o.tainted


def _silent(o: Outcome) -> Outcome:
    """An unparsable review under the second policy: it ran, and said nothing that counts."""
    return Outcome(case=o.case, rep=o.rep, status=o.status, lang=o.lang, bugs=o.bugs)


def _of_severity(outcomes: Collection[Outcome], severity: str | None) -> tuple[Fraction, Fraction]:
    """Bugs of a severity, and how many of them were hit."""

    def of(o: Outcome) -> tuple[int, int]:
        bugs = {bug.id for bug in o.bugs or () if bug.severity == severity}
        return len(bugs), len(bugs & o.hit_bugs)

    bugs, hit = _mean_sums(outcomes, of, 2)
    return bugs, hit


def _mean_sums(
    outcomes: Iterable[Outcome], values: Callable[[Outcome], Sequence[int]], width: int
) -> Sequence[Fraction]:
    """For each of `width` values: the sum over cases of the mean over their reps."""
    totals: dict[int, list[int]] = {}  # per number of reps: adding 10,000 fractions one by one takes a second
    for group in _grouped(outcomes, lambda o: o.case).values():
        total = totals.setdefault(len(group), [0] * width)
        for o in group:
            for n, value in enumerate(values(o)):
                total[n] += value
    return [sum((Fraction(total[n], reps) for reps, total in totals.items()), Fraction(0)) for n in range(width)]


def _grouped(outcomes: Iterable[Outcome], key: Callable[[Outcome], str]) -> Mapping[str, Sequence[Outcome]]:
    groups: dict[str, list[Outcome]] = {}
    for o in outcomes:
        groups.setdefault(key(o), []).append(o)
    return dict(sorted(groups.items()))


def _ratio(part: Fraction, whole: Fraction) -> float | None:
    return float(part / whole) if whole else None


def _plain(value: Fraction) -> float | int:
    return int(value) if value.denominator == 1 else float(value)


def _sum(values: Sequence[float]) -> float | int | None:
    """Exact to the digit that a person would write: binary residue is rounded away at 10^-9."""
    return round(sum(sorted(values)), 9) if values else None


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(sorted(values)) / len(values), 9) if values else None
