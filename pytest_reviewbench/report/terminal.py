"""The report for a terminal, within 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from pytest_reviewbench.report.cells import Table
from pytest_reviewbench.report.document import Comparison, Report
from pytest_reviewbench.report.interval_tables import comparison_head, comparison_tables, sentences
from pytest_reviewbench.report.notices import contamination, reasons, uncontained
from pytest_reviewbench.report.tables import build_tables

WIDTH = 100
MOST_ROWS = 40
MOST_REASONS = 5
NAME_WIDTH = 40
CELL_WIDTH = 24
INDENT = GAP = "  "

HOW_TO_VERIFY = (
    "verified precision and recall: not measured. They need the verdicts of a verifier (a judge or a person) on "
    "each finding; there are none. The run folders keep what one needs: reviewbench verify RUN... (docs/judge.md)."
)


def terminal_lines(report: Report, *, every_row: bool = False, brief: bool = False) -> Iterator[str]:
    """Lines without line ends. Tables of over 40 rows are cut, with a line that says so, unless `every_row`.

    `brief` leaves the first table only.
    """
    yield from wrapped(
        f"corpus {report.corpus_sha256[:12]}, split {report.split}, "
        f"{len({row.case for arm in report.arms.values() for row in arm.cases})} cases"
        + (f", {report.absent} listed without a folder and skipped" if report.absent else "")
    )
    if report.partial:
        yield from wrapped(
            f"PARTIAL: {len(report.missing)} reviews have no record; every number is over what is there"
        )
    for line in uncontained(report):
        yield from wrapped(line)
    alarms = contamination(report)
    for line in alarms[:MOST_REASONS]:
        yield from wrapped(line)
    if len(alarms) > MOST_REASONS:
        yield f"{INDENT}… {len(alarms) - MOST_REASONS} more of this kind in report.md"
    if said := sentences(report):
        yield ""
        for line in said[:MOST_REASONS]:
            yield from wrapped(line)
        if len(said) > MOST_REASONS:
            yield f"{INDENT}… {len(said) - MOST_REASONS} more pairs: the table of arms compared has all"
    for n, table in enumerate(build_tables(report)):
        if table.rows and not (brief and n):
            yield ""
            yield from table_lines(table, every_row)
    if report.comparison is not None:
        yield ""
        yield from comparison_lines(report.comparison, every_row=every_row)
    if (why := reasons(report)) and not brief:
        yield ""
        yield "Why reviews have no answer"
        for line in why[:MOST_REASONS]:
            yield from wrapped(line, indent=INDENT)
        if len(why) > MOST_REASONS:
            yield f"{INDENT}… {len(why) - MOST_REASONS} more reasons in report.md"
    if (unjudged := report.unjudged) and not brief:
        yield ""
        yield f"Why reviews have no verdicts of {report.verifier}"
        for line in unjudged[:MOST_REASONS]:
            yield from wrapped(line, indent=INDENT)
        if len(unjudged) > MOST_REASONS:
            yield f"{INDENT}… {len(unjudged) - MOST_REASONS} more reasons in report.md"
    if not report.verified:
        yield ""
        yield from wrapped(HOW_TO_VERIFY)


def comparison_lines(made: Comparison, *, every_row: bool = False) -> Iterator[str]:
    """Lines without line ends, within the width."""
    yield from wrapped(comparison_head(made))
    for pair in made.pairs:
        yield from wrapped(pair.said)
    for table in comparison_tables(made):
        if table.rows:
            yield ""
            yield from table_lines(table, every_row)


def table_lines(table: Table, every_row: bool) -> Iterator[str]:
    """The lines of one table, with its title and note."""
    rows = table.rows if every_row else table.rows[:MOST_ROWS]
    cells = [[_cut(cell, n) for n, cell in enumerate(row)] for row in (table.header, *rows)]
    widths = [max(len(row[n]) for row in cells) for n in range(len(table.header))]
    yield table.title
    for columns in _blocks(widths):
        for row in cells:
            others = "".join(GAP + row[n].rjust(widths[n]) for n in columns)
            yield (INDENT + row[0].ljust(widths[0]) + others).rstrip()
    if len(rows) < len(table.rows):
        yield f"{INDENT}… {len(table.rows) - len(rows)} more rows in report.md"
    if table.note:
        yield from wrapped(table.note, indent=INDENT)


def _blocks(widths: Sequence[int]) -> Iterator[list[int]]:
    """Columns after the first, in as many groups as are needed for each to fit beside the first."""
    room = WIDTH - len(INDENT) - widths[0]
    block: list[int] = []
    used = 0
    for column, width in enumerate(widths[1:], 1):
        if block and used + len(GAP) + width > room:
            yield block
            block, used = [], 0
        block.append(column)
        used += len(GAP) + width
    yield block


def _cut(cell: str, column: int) -> str:
    limit = NAME_WIDTH if column == 0 else CELL_WIDTH
    return cell if len(cell) <= limit else cell[: limit - 1] + "…"


def wrapped(text: str, indent: str = "") -> list[str]:
    """`text` within the width, later lines indented."""
    return textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent or INDENT, break_on_hyphens=False
    )
