"""The columns of the benchmark this one descends from, so that its tables can be reproduced.

One case set per row: reviews with a parsed answer (and, once a verifier ran, a complete set of verdicts).
Everything else is an error. Rates are rounded to three digits, as there.
"""

from __future__ import annotations

import math
from collections.abc import Collection

from pytest_reviewbench.scoring.outcomes import Outcome

Cell = str | float | int | None


def original_row(arm: str, outcomes: Collection[Outcome]) -> dict[str, Cell]:
    """The row of one run (one arm, one rep), without twins. Verified columns are null without verdicts."""
    outcomes = [o for o in outcomes if not o.is_twin]
    verified = any(o.judged for o in outcomes)
    used = [o for o in outcomes if (o.judged if verified else o.used)]
    said = [verdict.verdict for o in used for verdict in o.verdicts.values()]
    paid = [cost for o in outcomes if o.judging for cost in o.judging.costs if cost is not None]
    bugs = sum(len(o.bugs or ()) for o in used)
    findings = sum(len(o.findings) for o in used)
    costs = [o.cost_usd for o in used if o.cost_usd is not None]
    return {
        "arm": arm,
        "cases": len(used),
        "errors": len(outcomes) - len(used),
        "bugs": bugs,
        "findings": findings,
        "recall_strict": _rate(sum(len(o.hit_bugs) for o in used), bugs),
        "recall_adjudicated": _rate(sum(len(o.named_bugs) for o in used), bugs) if verified else None,
        "precision_strict": _rate(sum(len(o.hits) for o in used), findings),
        "precision_verified": _rate(said.count("real") + said.count("gt_same"), findings) if verified else None,
        "cost_usd": round(math.fsum(costs), 3) if costs else None,
        "verify_cost_usd": round(math.fsum(paid), 3) if paid else None,
        "seconds": round(math.fsum(o.seconds or 0 for o in used), 1),
    }


def _rate(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None
