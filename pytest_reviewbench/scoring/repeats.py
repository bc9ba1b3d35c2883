"""What repetitions of an arm have in common: does it find the same again?

Over the cases that were used in every repetition; null with fewer than two.
"""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

from pytest_reviewbench.scoring.outcomes import NEAR, Outcome
from pytest_reviewbench.scoring.tally import Number, grouped

NAMES = ("recall_pass_k", "recall_any_k", "recall_spread", "repeatability")


def count_repeats(used: Collection[Outcome]) -> dict[str, Number]:
    """`reps`, and over the bugs of cases used in all of them: those hit in every rep (`recall_pass_k`), in any
    (`recall_any_k`), the standard deviation of recall over the reps (`recall_spread`); `repeatability` of findings.
    """
    reps = {o.rep for o in used}
    if len(reps) < 2:
        return {"reps": len(reps), **dict.fromkeys(NAMES)}
    groups = [group for group in grouped(used, lambda o: o.case).values() if len(group) == len(reps)]
    bugs = sum(len(group[0].bugs or ()) for group in groups)
    always = sum(len(frozenset.intersection(*(o.hit_bugs for o in group))) for group in groups)
    ever = sum(len(frozenset.union(*(o.hit_bugs for o in group))) for group in groups)
    hits = {rep: sum(len(o.hit_bugs) for group in groups for o in group if o.rep == rep) for rep in sorted(reps)}
    return {
        "reps": len(reps),
        "recall_pass_k": always / bugs if bugs else None,
        "recall_any_k": ever / bugs if bugs else None,
        "recall_spread": statistics.stdev(hit / bugs for hit in hits.values()) if bugs else None,
        "repeatability": repeatability(groups),
    }


def repeatability(groups: Iterable[Sequence[Outcome]]) -> float | None:
    """The chance that a finding of one repetition is in the same place in another one (Dice 1945).

    Twice the findings that two reviews of a case share, over all that they have, summed over every two repetitions
    of each case. Null without a finding.
    """
    shared = both = 0
    for group in groups:
        for one, other in combinations(group, 2):
            shared += 2 * _in_common(one, other)
            both += len(one.findings) + len(other.findings)
    return shared / both if both else None


def _in_common(one: Outcome, other: Outcome) -> int:
    """A largest set of pairs of findings in the same place, none used twice."""
    ours, theirs = _lines(one), _lines(other)
    found = 0
    for file in ours.keys() & theirs.keys():
        a, b = ours[file], theirs[file]
        i = j = 0
        while i < len(a) and j < len(b):  # both sorted: whoever is behind can meet nobody later
            if abs(a[i] - b[j]) <= NEAR:
                found, i, j = found + 1, i + 1, j + 1
            elif a[i] < b[j]:
                i += 1
            else:
                j += 1
    return found


def _lines(o: Outcome) -> dict[tuple[str | None, bool], list[int]]:
    """Per file the first lines of findings, sorted; those on a whole file apart."""
    found: dict[tuple[str | None, bool], list[int]] = {}
    for place in o.places.values():
        found.setdefault((place.file, place.line is None), []).append(place.line or 0)
    return {file: sorted(lines) for file, lines in found.items()}
