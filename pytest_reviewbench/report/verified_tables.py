"""Tables of what verifiers say."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_reviewbench.report.cells import Table, numbers_of, part_of, quantity, ratio
from pytest_reviewbench.report.document import Report


def verified_tables(report: Report) -> Iterator[Table]:
    """None without verdicts; one more when there are several verifiers."""
    if report.verifier is None:
        return
    yield _verified(report)
    yield _verdicts(report)
    if len(report.verifiers) > 1:
        yield _verifiers(report)


def _verified(report: Report) -> Table:
    own = f"; JUDGED BY THEIR OWN MODEL: {', '.join(report.own_model)}" if report.own_model else ""
    return Table(
        f"Verified by {report.verifier}",
        (
            "arm",
            "judged",
            "bugs named",
            "recall",
            "true",
            "precision",
            "decided",
            "per bug",
            "misses",
            "overreach",
            "alarms",
        ),
        tuple(
            (
                arm,
                part_of(n, "judged", "used"),
                part_of(n, "bugs_named", "bugs_judged"),
                ratio(n["recall_adjudicated"]),
                f"{quantity((n['gt_same'] or 0) + (n['real'] or 0))}/{quantity(n['findings_judged'])}",
                ratio(n["precision_verified"]),
                ratio(n["precision_verified_decided"]),
                ratio(n["precision_bugs_judged"]),
                quantity(n["matcher_misses"]),
                quantity(n["matcher_overreach"]),
                part_of(n, "clean_not_a_bug", "clean_judged"),
            )
            for arm, n in numbers_of(report)
        ),
        "over used reviews with a verdict on every finding: recall_adjudicated, precision_verified (decided:"
        " without the unverifiable), precision_bugs_judged; misses and overreach of the matcher; alarms:"
        " clean controls with a finding that is not a bug" + own,
    )


def _verdicts(report: Report) -> Table:
    return Table(
        "Verdicts and what they cost",
        ("arm", "gt_same", "real", "not a bug", "unverifiable", "share", "no verdicts", "sessions", "cost USD"),
        tuple(
            (
                arm,
                *(quantity(n[word]) for word in ("gt_same", "real", "not_a_bug", "unverifiable")),
                ratio(n["unverifiable_share"]),
                quantity(n["verify_failed"]),
                quantity(n["verify_sessions"]),
                quantity(n["verify_cost_usd"], 4),
            )
            for arm, n in numbers_of(report)
        ),
        "a session serves all arms; its cost is shared equally among the runs it served",
    )


def _verifiers(report: Report) -> Table:
    return Table(
        "By verifier",
        ("arm, verifier", "judged", "recall", "precision", "decided", "unverifiable"),
        tuple(
            (
                f"{arm}, {name}",
                quantity(n["judged"]),
                ratio(n["recall_adjudicated"]),
                ratio(n["precision_verified"]),
                ratio(n["precision_verified_decided"]),
                ratio(n["unverifiable_share"]),
            )
            for arm, made in report.arms.items()
            for name, n in made.by_verifier.items()
        ),
    )
