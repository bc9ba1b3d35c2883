"""A comparison for a terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_reviewbench.report.document import Comparison
from pytest_reviewbench.report.interval_tables import comparison_tables
from pytest_reviewbench.report.markdown import cell, markdown_table
from pytest_reviewbench.report.terminal import table_lines, wrapped


def comparison_lines(made: Comparison, *, every_row: bool = False) -> Iterator[str]:
    """Lines without line ends, within 100 columns."""
    yield from wrapped(_head(made))
    for pair in made.pairs:
        yield from wrapped(pair.said)
    for table in comparison_tables(made):
        if table.rows:
            yield ""
            yield from table_lines(table, every_row)


def comparison_markdown(made: Comparison) -> Iterator[str]:
    """The same as GitHub-flavoured Markdown."""
    yield "## Compared with a baseline" if made.baseline else "## Compared"
    yield ""
    yield f"{cell(_head(made))}."
    yield ""
    yield from (f"- {cell(pair.said)}" for pair in made.pairs)
    for table in comparison_tables(made):
        if table.rows:
            yield ""
            yield from markdown_table(table)


def _head(made: Comparison) -> str:
    against = f"with the baseline {made.baseline}" if made.baseline else "with each other"
    left = f", {made.left_out} cases left out that not all selected" if made.left_out else ""
    return (
        f"{', '.join(label for label in made.runs if label != made.baseline)} compared {against}: corpus "
        f"{made.corpus_sha256[:12]}, split {made.split}, {made.cases} cases{left}"
    )
