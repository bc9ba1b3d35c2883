"""What must not be overlooked in a report, a line each: for the terminal, Markdown and the page."""

from __future__ import annotations

from collections import Counter

from pytest_reviewbench.report.document import Comparison, Report
from pytest_reviewbench.runs.outcomes import NEVER_STARTED, STILL_RUNNING


def reasons(report: Report) -> list[str]:
    """Why reviews have no answer, the most frequent reasons first: `tools: 3 not attempted: no analyser for go`."""
    said = Counter(
        (name, row.status, row.reason)
        for name, arm in report.arms.items()
        for row in (*arm.cases, *arm.twins)
        if row.status != "ok" and row.reason and row.reason not in (NEVER_STARTED, STILL_RUNNING)
    )
    return [
        f"{name}: {number} {status.replace('_', ' ')}: {reason}"
        for (name, status, reason), number in sorted(said.items(), key=lambda one: (-one[1], one[0]))
    ]


def uncontained(report: Report) -> list[str]:
    """A line for each reason why reviewers were not contained."""
    found = sorted({run.uncontained for run in report.runs if run.uncontained is not None})
    return [f"NOT CONTAINED, reviewers could see this whole machine, the truth included: {why}" for why in found]


def contamination(report: Report) -> list[str]:
    """A line for each case to which arms gave the very same answer, and one where what is tainted counts."""
    counted = "TAINTED REVIEWS ARE COUNTED: what they found may come from where they were not to look"
    return [counted] * report.tainted_counted + [
        f"CONTAMINATION? {' and '.join(same.arms)} gave the very same answer to {same.case}, to the letter"
        for same in report.same_answers
    ]


def broken_gates(report: Report) -> list[str]:
    """One line per bound that does not hold."""
    return [f"{g.gate} does not hold: {g.arm or 'no arm'} has {g.said}" for g in report.gates if not g.held]


def broken_bounds(made: Report | Comparison) -> list[str]:
    """One line per bound on a difference that does not hold."""
    comparison = made.comparison if isinstance(made, Report) else made
    return [f"{g.gate}: {g.arm} has {g.said}" for g in (comparison.gates if comparison else ()) if not g.held]
