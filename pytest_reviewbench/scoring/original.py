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
    """The row of one run (one arm, one rep). Verified columns are null without verdicts."""
    used = [o for o in outcomes if o.used]
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
        "recall_adjudicated": None,
        "precision_strict": _rate(sum(len(o.hits) for o in used), findings),
        "precision_verified": None,
        "cost_usd": round(math.fsum(costs), 3) if costs else None,
        "verify_cost_usd": None,
        "seconds": round(math.fsum(o.seconds or 0 for o in used), 1),
    }


def _rate(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None
