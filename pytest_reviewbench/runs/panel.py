"""Several verifiers as one: the majority of their verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pytest_reviewbench.model import Verdict
from pytest_reviewbench.scoring.agreement import majority
from pytest_reviewbench.scoring.outcomes import Judging

MAJORITY = "majority"
"""Stands for all verifiers of the runs together wherever one of them can be named."""


def majority_judging(every: Sequence[Judging | None]) -> Judging | None:
    """What the verifiers of one review say together; None: none of them tried.

    At least two must have judged the review. A finding has the verdict that more than half of them give, else it is
    `unverifiable`; of `gt_same` the bugs that more than half of those who say so name.
    """
    tried = [one for one in every if one is not None]
    if not tried:
        return None
    sets = [one.verdicts for one in tried if one.verdicts is not None]
    return Judging(
        verdicts=_together(sets) if len(sets) > 1 else None,
        sessions=tuple(name for one in tried for name in one.sessions),
        failed=sum(one.failed for one in tried),
        costs=tuple(cost for one in tried for cost in one.costs),
        own_model=any(one.own_model for one in tried),
        reason=None if len(sets) > 1 else "fewer than two verifiers have judged it",
    )


def _together(sets: Sequence[Mapping[str, Verdict]]) -> dict[str, Verdict]:
    return {name: _one([verdicts[name] for verdicts in sets]) for name in sets[0]}


def _one(verdicts: Sequence[Verdict]) -> Verdict:
    word = majority({str(n): verdict.verdict for n, verdict in enumerate(verdicts)}) or "unverifiable"
    if word != "gt_same":
        return Verdict(verdict=word)
    same = [verdict for verdict in verdicts if verdict.verdict == word]
    named = Counter(bug for verdict in same for bug in verdict.bugs)
    return Verdict(verdict=word, bugs=tuple(sorted(bug for bug, many in named.items() if 2 * many > len(same))))
