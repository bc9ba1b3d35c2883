"""The report for pull requests and step summaries."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator

from pytest_reviewbench.report.cells import Table
from pytest_reviewbench.report.document import Comparison, Report
from pytest_reviewbench.report.interval_tables import (
    comparison_head,
    comparison_tables,
    headline_with_intervals,
    sentences,
)
from pytest_reviewbench.report.notices import broken_gates, contamination, reasons, uncontained
from pytest_reviewbench.report.tables import build_tables
from pytest_reviewbench.report.terminal import HOW_TO_VERIFY


def markdown(report: Report, *, brief: bool = False) -> str:
    """The report as GitHub-flavoured Markdown: the headline, then a folded block for each table.

    Cells are data: whatever they hold stays text. `brief` leaves the headline, and names what was left out.
    """
    return "\n".join((*_head(report), *(_left_out(report) if brief else _details(report)))) + "\n"


def _head(report: Report) -> Iterator[str]:
    """What a pull request has to be told."""
    yield "# Review benchmark"
    alarms = [*uncontained(report), *contamination(report), *(f"GATE: {line}" for line in broken_gates(report))]
    if report.partial:
        alarms.append(f"Partial: {len(report.missing)} reviews have no record; every number is over what is there.")
    for line in alarms:
        yield ""
        yield f"**{cell(line)}**"
    yield ""
    yield from _rows(headline_with_intervals(report))
    if said := sentences(report):
        yield ""
        yield from (f"- {cell(line)}" for line in said)
    if report.comparison is not None:
        yield ""
        yield f"{cell(comparison_head(report.comparison))}."
        yield ""
        yield from (f"- {cell(pair.said)}" for pair in report.comparison.pairs)
    if not report.verified:
        yield ""
        yield HOW_TO_VERIFY[:1].upper() + HOW_TO_VERIFY[1:]
    yield ""
    absent = f"; {report.absent} listed without a folder and skipped" if report.absent else ""
    cases = len({row.case for arm in report.arms.values() for row in arm.cases})
    yield f"Corpus `{report.corpus_sha256[:12]}`, split {report.split}, {cases} cases{absent}."


def _details(report: Report) -> Iterator[str]:
    for title, lines in _blocks(report):
        yield ""
        yield "<details>"
        yield f"<summary>{html.escape(title)}</summary>"
        yield ""
        yield from lines
        yield ""
        yield "</details>"


def _blocks(report: Report) -> Iterator[tuple[str, Iterator[str]]]:
    """Every block with its title."""
    for table in build_tables(report):
        if table.rows:
            yield table.title, _rows(table)
    for table in comparison_tables(report.comparison) if report.comparison else ():
        if table.rows:
            yield table.title, _rows(table)
    if why := reasons(report):
        yield "Why reviews have no answer", _listed(why)
    if unjudged := report.unjudged:
        yield f"Why reviews have no verdicts of {report.verifier}", _listed(unjudged)
    yield "Runs", _runs(report)


def _left_out(report: Report) -> Iterator[str]:
    yield ""
    yield f"Left out for want of room, all in report.md: {cell(', '.join(title for title, _ in _blocks(report)))}."


def _listed(lines: Iterable[str]) -> Iterator[str]:
    yield from (f"- {cell(line)}" for line in lines)


def _runs(report: Report) -> Iterator[str]:
    for run in report.runs:
        state = "" if run.complete else " (not complete)"
        yield f"- `{run.name}`: {run.cases} cases, scope {run.scope or '-'}, sandbox {run.sandbox}{state}"


def comparison_markdown(made: Comparison) -> Iterator[str]:
    """A comparison with a baseline, or of every two arms."""
    yield "## Compared with a baseline" if made.baseline else "## Compared"
    yield ""
    yield f"{cell(comparison_head(made))}."
    yield ""
    yield from (f"- {cell(pair.said)}" for pair in made.pairs)
    for table in comparison_tables(made):
        if table.rows:
            yield ""
            yield from markdown_table(table)


def markdown_table(table: Table) -> Iterator[str]:
    """A table with its title and note."""
    yield f"## {table.title}"
    yield ""
    yield from _rows(table)


def _rows(table: Table) -> Iterator[str]:
    """A table with its note."""
    yield "| " + " | ".join(map(cell, table.header)) + " |"
    yield "|---" + "|---:" * (len(table.header) - 1) + "|"
    for row in table.rows:
        yield "| " + " | ".join(map(cell, row)) + " |"
    if table.note:
        yield ""
        yield table.note[:1].upper() + table.note[1:] + "."


def cell(text: str) -> str:
    """`text` as data: no mark of Markdown's means anything in it."""
    for mark in "\\`*_{}[]<>#|":
        text = text.replace(mark, "\\" + mark)
    return " ".join(text.split())
