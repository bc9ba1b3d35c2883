"""Every rate as a part of a whole, both sums of `scoring.tally`: written once, for counts and for intervals.

docs/numbers.md has the definitions in words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pytest_reviewbench.scoring.tally import JudgedTally, Tally
from pytest_reviewbench.scoring.twins import TwinRow

Part = tuple[Any, Any]
"""(part, whole): numbers, fractions, or arrays with an element per resample."""

STRICT: Mapping[str, Callable[[Tally], Part]] = {
    "recall_strict": lambda t: (t.bugs_hit, t.bugs),
    "precision_strict": lambda t: (t.matched, t.findings),
    "precision_strict_deduplicated": lambda t: (t.distinct, t.findings - t.matched + t.distinct),
    "precision_bugs": lambda t: (t.bugs_hit, t.bugs_hit + t.findings - t.matched),
    "f1_bugs": lambda t: (2 * t.bugs_hit, t.bugs_hit + t.findings - t.matched + t.bugs),
    "false_alarms_clean": lambda t: (t.alarms, t.clean),
}
"""Over used reviews. `f1_bugs` is the harmonic mean of `precision_bugs` and `recall_strict`."""

JUDGED: Mapping[str, Callable[[JudgedTally], Part]] = {
    "recall_adjudicated": lambda t: (t.named, t.bugs),
    "precision_verified": lambda t: (t.gt_same + t.real, t.findings),
    "precision_verified_decided": lambda t: (t.gt_same + t.real, t.findings - t.unverifiable),
    "unverifiable_share": lambda t: (t.unverifiable, t.findings),
    "precision_bugs_judged": lambda t: (t.named, t.named + t.findings - t.gt_same),
    "f1_bugs_judged": lambda t: (2 * t.named, t.named + t.findings - t.gt_same + t.bugs),
    "false_alarms_judged": lambda t: (t.alarms, t.clean),
}
"""Over judged reviews, likewise."""

TWINS: Mapping[str, Callable[[TwinRow], Part]] = {
    "hallucinated_hit_rate": lambda t: (t.claimed, t.counted),
    "discrimination": lambda t: (t.told_apart, t.pair),
}
"""Over cases whose twin has a used review."""

BY_MATCHER = (frozenset(STRICT) - {"false_alarms_clean"}) | frozenset(TWINS)
"""What does not exist where the bugs have no regexes."""
