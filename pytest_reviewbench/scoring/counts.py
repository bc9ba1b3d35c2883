"""The numbers of one arm: strict recall and precision and what stands beside them (docs/numbers.md).

Reps are averaged within a case first, cases are summed after that, and every sum is an exact fraction: the
order of cases, reps and findings changes nothing. 0/0 is null.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from fractions import Fraction

from pytest_reviewbench.model import SEVERITIES, STATUSES
from pytest_reviewbench.scoring.dates import date_group
from pytest_reviewbench.scoring.judged_shapes import count_answers, count_shapes, judged_by_severity
from pytest_reviewbench.scoring.macro import count_macro
from pytest_reviewbench.scoring.outcomes import Outcome
from pytest_reviewbench.scoring.rates import BY_MATCHER, JUDGED, STRICT, Part
from pytest_reviewbench.scoring.repeats import count_repeats
from pytest_reviewbench.scoring.spending import count_costs, count_spent, total
from pytest_reviewbench.scoring.tally import (
    JudgedTally,
    Number,
    Tally,
    grouped,
    judged_tally,
    mean_sums,
    plain,
    tallied,
)
from pytest_reviewbench.scoring.twins import apart, count_twins

OF_MATCHER = ("bugs_hit", "findings_matched", "duplicates", "matcher_misses", "matcher_overreach")
"""Counts that do not exist where the bugs have no regexes."""


def count(every: Iterable[Outcome]) -> dict[str, Number]:
    """Every number of docs/numbers.md over `every` outcome (one arm, any reps), by name.

    Verified numbers are over the reviews with a complete set of verdicts, null where there is none; strict ones are
    null where a bug has no regex. Twins are in the numbers about them and in no other.
    """
    outcomes, twins = apart(every)
    used = [o for o in outcomes if o.used]
    judged = count_judged(outcomes)
    numbers: dict[str, Number] = {
        **{status: sum(o.status == status for o in outcomes) for status in STATUSES},
        "cases": len({o.case for o in outcomes}),
        "used": len(used),
        "tainted": sum(o.tainted for o in outcomes),
        "refused_looks": sum(o.refused for o in outcomes),
        **_strict(_tally(used), ""),
        **_strict(_tally(o if o.used else _silent(o) for o in outcomes if _parsable_or_not(o)), "_all"),
        **judged,
        **count_spent(outcomes),
        **count_repeats(used),
        **count_answers(used),
        **count_twins(outcomes, twins),
    }
    if any(o.judged_only for o in outcomes):
        numbers |= {name: None for name in numbers if name.removesuffix("_all") in (*BY_MATCHER, *OF_MATCHER)}
    return numbers | count_costs(outcomes, numbers)


def count_judged(outcomes: Collection[Outcome]) -> dict[str, Number]:
    """The numbers that need verdicts, by name, with what the verifier cost. Nobody judges twins."""
    outcomes, _ = apart(outcomes)
    judged = [o for o in outcomes if o.judged]
    j = JudgedTally(*mean_sums(judged, judged_tally, len(JudgedTally._fields)))
    held = [o.judging for o in outcomes if o.judging is not None]
    costs = [cost for one in held for cost in one.costs]
    known = [cost for cost in costs if cost is not None]
    return {
        "judged": len(judged),
        **{name: _ratio(part(j)) for name, part in JUDGED.items()},
        "matcher_misses": plain(j.misses) if judged else None,
        "matcher_overreach": plain(j.overreach) if judged else None,
        "bugs_judged": plain(j.bugs),
        "bugs_named": plain(j.named),
        "findings_judged": plain(j.findings),
        "gt_same": plain(j.gt_same),
        "real": plain(j.real),
        "not_a_bug": plain(j.not_a_bug),
        "unverifiable": plain(j.unverifiable),
        "clean_judged": plain(j.clean),
        "clean_not_a_bug": plain(j.alarms),
        **count_shapes(judged),
        **count_macro(judged),
        "verify_failed": sum(one.verdicts is None for one in held),
        "verify_cost_usd": total(known),
        "verify_cost_known": len(known),
        "verify_sessions": len({name for one in held for name in one.sessions}),
    }


Numbers = dict[str, Number]


def by_language(outcomes: Collection[Outcome], whole: Numbers | None = None) -> dict[str, Numbers]:
    """`count` per language, languages sorted; reviews of unknown language (nobody ran them) under `unknown`.

    `whole` is `count(outcomes)`, where that is known already: it is that of a group which is all of them.
    """
    return _by(outcomes, lambda o: o.lang or "unknown", whole)


def by_class(outcomes: Collection[Outcome], whole: Numbers | None = None) -> dict[str, Numbers]:
    """`count` per class of case, sorted; cases without one under `unknown`."""
    return _by(outcomes, lambda o: o.class_ or "unknown", whole)


def by_date(outcomes: Collection[Outcome], whole: Numbers | None = None) -> dict[str, Numbers]:
    """`count` per date group of the fix: what came out later cannot have been learnt by heart so easily."""
    return _by(outcomes, lambda o: date_group(o.published), whole)


def by_rep(outcomes: Collection[Outcome], whole: Numbers | None = None) -> dict[str, Numbers]:
    """`count` per repetition, in order of their numbers."""
    made = _by(outcomes, lambda o: str(o.rep), whole)
    return {rep: made[rep] for rep in sorted(made, key=int)}


def _by(outcomes: Collection[Outcome], key: Callable[[Outcome], str], whole: Numbers | None) -> dict[str, Numbers]:
    return {
        name: whole if whole is not None and len(group) == len(outcomes) else count(group)
        for name, group in grouped(outcomes, key).items()
    }


def by_severity(outcomes: Collection[Outcome]) -> dict[str, dict[str, Number]]:
    """Bugs, hit bugs and `recall_strict` per severity of the bug; bugs without one under `unknown`.

    Beside them what verdicts say of the judged reviews. Strict numbers are null where a bug has no regex.
    """
    used = [o for o in outcomes if o.used and not o.is_twin]
    by_verdicts = judged_by_severity(outcomes)
    by_matcher = not any(o.judged_only for o in used)
    table: dict[str, dict[str, Number]] = {}
    for severity in (*SEVERITIES, None):
        bugs, hit = _of_severity(used, severity)
        if bugs:
            table[severity or "unknown"] = {
                "bugs": plain(bugs),
                "bugs_hit": plain(hit) if by_matcher else None,
                "recall_strict": _ratio((hit, bugs)) if by_matcher else None,
                **by_verdicts.get(severity or "unknown", {}),
            }
    return table


def _tally(outcomes: Iterable[Outcome]) -> Tally:
    return Tally(*mean_sums(outcomes, tallied, len(Tally._fields)))


def _strict(t: Tally, suffix: str) -> dict[str, Number]:
    numbers: dict[str, Number] = {
        **{name: _ratio(part(t)) for name, part in STRICT.items()},
        "bugs": plain(t.bugs),
        "clean": plain(t.clean),
    }
    if not suffix:
        numbers |= {
            "bugs_hit": plain(t.bugs_hit),
            "findings": plain(t.findings),
            "findings_matched": plain(t.matched),
            "duplicates": plain(t.matched - t.distinct),
            "clean_with_findings": plain(t.alarms),
            "touches_fix": plain(t.touching) if t.touching_known else None,
            "touches_fix_known": plain(t.touching_known),
            "gone_when_fixed": plain(t.gone) if t.gone_known else None,
            "gone_when_fixed_known": plain(t.gone_known),
        }
    return {name + suffix: value for name, value in numbers.items()}


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

    bugs, hit = mean_sums(outcomes, of, 2)
    return bugs, hit


def _ratio(part: Part) -> float | None:
    return float(part[0] / part[1]) if part[1] else None
