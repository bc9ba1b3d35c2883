"""The report for pull requests and step summaries."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_reviewbench.report.cells import Table
from pytest_reviewbench.report.document import Comparison, Report
from pytest_reviewbench.report.interval_tables import comparison_head, comparison_tables, sentences
from pytest_reviewbench.report.tables import build_tables, contamination, reasons, uncontained
from pytest_reviewbench.report.terminal import HOW_TO_VERIFY


def markdown(report: Report) -> str:
    """The whole report as GitHub-flavoured Markdown. Cells are data: whatever they hold stays text."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield "# Review benchmark"
    yield ""
    yield f"Corpus `{report.corpus_sha256[:12]}`, split {report.split}; runs:"
    yield ""
    for run in report.runs:
        state = "" if run.complete else " (not complete)"
        yield f"- `{run.name}`: {run.cases} cases, scope {run.scope or '-'}, sandbox {run.sandbox}{state}"
    for line in (*uncontained(report), *contamination(report)):
        yield f"- **{line}**"
    if report.absent:
        yield f"- {report.absent} cases listed without a folder and skipped"
    if report.partial:
        yield ""
        yield f"**Partial: {len(report.missing)} reviews have no record; every number is over what is there.**"
    if said := sentences(report):
        yield ""
        yield from (f"- {cell(line)}" for line in said)
    for table in build_tables(report):
        if table.rows:
            yield ""
            yield from markdown_table(table)
    if report.comparison is not None:
        yield ""
        yield from comparison_markdown(report.comparison)
    if why := reasons(report):
        yield ""
        yield "## Why reviews have no answer"
        yield ""
        yield from (f"- {cell(line)}" for line in why)
    if unjudged := report.unjudged:
        yield ""
        yield f"## Why reviews have no verdicts of {report.verifier}"
        yield ""
        yield from (f"- {cell(line)}" for line in unjudged)
    if not report.verified:
        yield ""
        yield HOW_TO_VERIFY[:1].upper() + HOW_TO_VERIFY[1:]


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
