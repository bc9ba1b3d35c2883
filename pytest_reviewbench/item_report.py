"""What an item says of its review: its name, its properties, how to do it again."""

from __future__ import annotations

import json
import shlex

from pytest_reviewbench.model import Review
from pytest_reviewbench.settings import Settings

FINDINGS_LIMIT = 16_000
"""Characters of the JUnit property `reviewbench.findings`; the run folder holds all of them."""


def item_name(arm: str, rep: int) -> str:
    """`perun` for the first rep, `perun.r2` for the second."""
    return arm if rep == 1 else f"{arm}.r{rep}"


def headline(case: str, arm: str, rep: int) -> str:
    """What stands over a failure. Not the end of the node id: pytest -v would print its dots as `::` there."""
    return f"{case} {item_name(arm, rep)}"


def rerun_hint(settings: Settings, case: str, arm: str, rep: int) -> str:
    """The command that does one review again, to be pasted into a shell."""
    reps = f" --reviewbench-reps={rep}," if rep > 1 else ""
    corpus = shlex.quote(str(settings.corpus))
    return f"again: pytest --reviewbench-arm={arm} --reviewbench-corpus={corpus} --reviewbench-case={case}{reps}"


def review_properties(review: Review) -> list[tuple[str, object]]:
    """What a testcase says of its review in JUnit and json-report: scalars, and the findings as one JSON string."""
    return [
        ("reviewbench.case", review.case),
        ("reviewbench.arm", review.arm),
        ("reviewbench.rep", review.rep),
        ("reviewbench.status", review.status),
        ("reviewbench.findings_count", len(review.findings)),
        ("reviewbench.cost_usd", review.cost_usd),
        ("reviewbench.seconds", review.seconds),
        ("reviewbench.findings", _capped_findings(review)),
    ]


def _capped_findings(review: Review) -> str:
    listed: list[dict[str, object]] = []
    size = 2
    for finding in review.findings:
        entry: dict[str, object] = {
            "id": finding.id,
            "file": finding.file,
            "line": finding.line,
            "severity": finding.severity,
            "text": finding.text,
        }
        size += len(json.dumps(entry)) + 1
        if size > FINDINGS_LIMIT - 40:
            listed.append({"omitted": len(review.findings) - len(listed)})
            break
        listed.append(entry)
    return json.dumps(listed, separators=(",", ":"))
