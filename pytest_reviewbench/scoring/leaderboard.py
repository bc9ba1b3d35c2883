"""A row per arm as public leaderboards print it, so that their tables can be reproduced to the digit.

Sums over reviews of bugs found (tp), findings that name none (fp) and bugs that nobody named (fn); rates in percent
with one digit, and 0/0 is 0 here, and only here, because it is so there.
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from pytest_reviewbench.scoring.outcomes import Outcome
from pytest_reviewbench.scoring.tally import JudgedTally, Tally, judged_tally, mean_sums, plain, tallied

Cell = str | float | int | None


def leaderboard_row(arm: str, outcomes: Collection[Outcome]) -> dict[str, Cell]:
    """The row of one arm, reps averaged, without twins.

    By the verdicts where a verifier judged any of its reviews, else by the matcher; where the bugs have no regexes
    and nobody judged, only what is known without either. `errors` are reviews that began and are not counted.
    """
    outcomes = [o for o in outcomes if not o.is_twin]
    judged = [o for o in outcomes if o.judged]
    counted = judged or [o for o in outcomes if o.used]
    row: dict[str, Cell] = {
        "arm": arm,
        "counted_by": "verifier" if judged else "matcher",
        "num_prs": len({o.case for o in counted}),
        "errors": sum(o.status not in ("not_attempted", "not_run") for o in outcomes) - len(counted),
    }
    if judged:
        j = JudgedTally(*mean_sums(judged, judged_tally, len(JudgedTally._fields)))
        tp, fp, bugs, findings = j.named, j.findings - j.gt_same, j.bugs, j.findings
    else:
        t = Tally(*mean_sums(counted, tallied, len(Tally._fields)))
        tp, fp, bugs, findings = t.bugs_hit, t.findings - t.matched, t.bugs, t.findings
    row["total_candidates"] = plain(findings)
    if not judged and any(o.judged_only for o in counted):
        names = ("tp", "fp", "fn", "precision", "recall", "f1", "precision_over_candidates")
        return row | {"counted_by": None} | dict.fromkeys(names)
    return row | {
        "tp": plain(tp),
        "fp": plain(fp),
        "fn": plain(bugs - tp),
        "precision": _percent(tp, tp + fp),
        "recall": _percent(tp, bugs),
        "f1": _percent(2 * tp, tp + fp + bugs),
        "precision_over_candidates": _percent(tp, findings),
    }


def _percent(part: Fraction, whole: Fraction) -> float:
    """Half to even on the float, as Python's `round` in those benchmarks."""
    return round(100 * float(part / whole), 1) if whole else 0.0
