"""The table of suspect labels."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_reviewbench.report.cells import NOT_KNOWN, Table
from pytest_reviewbench.report.document import Report

SAID = {
    "clean": "shared finding on a clean control, judged real",
    "twin": "shared finding on a twin",
    "never_found": "bug that no arm finds",
    "overreach": "regex fires on findings judged otherwise",
    "miss": "regex misses findings judged gt_same",
}


def suspect_tables(report: Report) -> Iterator[Table]:
    """None without suspects."""
    if report.suspects:
        yield Table(
            "Suspect labels",
            ("case, bug", "why", "arms", "findings"),
            tuple(
                (
                    f"{one.case}, {one.bug}" if one.bug else one.case,
                    SAID[one.kind],
                    ", ".join(one.arms),
                    ", ".join(one.findings) or NOT_KNOWN,
                )
                for one in report.suspects
            ),
            "labels to look at, in no number; nobody judges twins, so what arms share there needs no verdict",
        )
