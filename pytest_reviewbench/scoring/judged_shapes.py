"""What findings are to known bugs beside right and wrong: several at once, once more, or no claim at all."""

from __future__ import annotations

import re
from collections.abc import Collection

from pytest_reviewbench.model import SEVERITIES
from pytest_reviewbench.scoring.assignment import distinct_matches
from pytest_reviewbench.scoring.outcomes import Outcome
from pytest_reviewbench.scoring.tally import Number, mean_sums, plain

_NAME = r"[\w.-]{1,40}(\[bot\])?"
_ADDRESS = re.compile(rf"[@/]{_NAME}((\s+\w{{1,20}})?\s+review)?|{_NAME}\s+review", re.IGNORECASE)
_LONGEST = 80


def is_chatter(text: str) -> bool:
    """Does `text` only call a reviewer: `@NAME` or `/NAME`, alone or before `[WORD] review`, or `NAME review`?

    Such a line starts a review and claims nothing of the code; benchmarks that collect comments collect it too.
    """
    return len(text) <= _LONGEST and _ADDRESS.fullmatch(text.strip()) is not None


def count_answers(used: Collection[Outcome]) -> dict[str, Number]:
    """`empty` and `chatter` of docs/numbers.md over `used` reviews."""
    empty, chatter = mean_sums(used, lambda o: (int(not o.findings), len(o.chatter)), 2)
    return {"empty": plain(empty), "chatter": plain(chatter)}


def count_shapes(judged: Collection[Outcome]) -> dict[str, Number]:
    """`findings_on_several_bugs` and `duplicates_judged` over `judged` reviews; null without any."""
    several, again = mean_sums(judged, _of_judged, 2)
    return {
        "findings_on_several_bugs": plain(several) if judged else None,
        "duplicates_judged": plain(again) if judged else None,
    }


def _of_judged(o: Outcome) -> tuple[int, int]:
    named = {name: verdict.bugs for name, verdict in o.verdicts.items() if verdict.verdict == "gt_same"}
    several = sum(len(bugs) > 1 for bugs in named.values())
    return several, len(named) - distinct_matches({name: bugs for name, bugs in named.items() if bugs})


def judged_by_severity(outcomes: Collection[Outcome]) -> dict[str, dict[str, Number]]:
    """Bugs, named bugs and `recall_adjudicated` per severity of the bug, over judged reviews."""
    judged = [o for o in outcomes if o.judged and not o.is_twin]
    table: dict[str, dict[str, Number]] = {}
    for severity in (*SEVERITIES, None):

        def of(o: Outcome, severity: str | None = severity) -> tuple[int, int]:
            bugs = {bug.id for bug in o.bugs or () if bug.severity == severity}
            return len(bugs), len(bugs & o.named_bugs)

        bugs, named = mean_sums(judged, of, 2)
        if bugs:
            table[severity or "unknown"] = {
                "bugs_judged": plain(bugs),
                "bugs_named": plain(named),
                "recall_adjudicated": float(named / bugs),
            }
    return table
