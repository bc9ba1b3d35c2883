"""The table of fixed twins: what reviewers say of changes that lack the bug."""

from __future__ import annotations

from pytest_reviewbench.report.cells import Table, numbers_of, part_of, quantity, ratio
from pytest_reviewbench.report.document import Report

UNUSED = ("unparsable", "error", "crashed", "not_attempted", "not_run", "tainted")


def twins_table(report: Report) -> Table:
    return Table(
        "Fixed twins: the same changes without the bug",
        (
            "arm",
            "claimed",
            "hallucinated",
            "told apart",
            "discrimination",
            *(status.replace("_", " ") for status in UNUSED),
            "s",
            "cost USD",
        ),
        tuple(
            (
                arm,
                part_of(n, "twins_claimed", "twins_counted"),
                ratio(n["hallucinated_hit_rate"]),
                part_of(n, "twins_told_apart", "twin_pairs"),
                ratio(n["discrimination"]),
                *(quantity(n[f"twins_{status}"]) for status in UNUSED),
                quantity(n["twins_seconds"], 1),
                quantity(n["twins_cost_usd"], 4),
            )
            for arm, n in numbers_of(report)
        ),
        "claimed: twins on which the matcher fires / twins; told apart: cases of which a bug is named, and not on"
        " the twin / cases with both reviews used (a guesser that names every mechanism tells none apart); then"
        " twins without a used review, and what twins took; twins are in no other number",
    )
