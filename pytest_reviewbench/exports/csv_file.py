"""A table as CSV, for spreadsheets as well."""

from __future__ import annotations

import csv
import io

from pytest_reviewbench.exports.tables import Cell, Table
from pytest_reviewbench.spreadsheet import guarded


def csv_bytes(table: Table) -> bytes:
    """UTF-8, comma, one header line, CRLF (RFC 4180).

    What is not known is an empty cell; several ids stand with `;` between. A text that begins with a sign of
    `spreadsheet.FORMULA`, or with an apostrophe, gets an apostrophe in front: dropping the first one gives it back.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([name for name, _ in table.columns])
    writer.writerows([_cell(value) for value in row] for row in table.rows)
    return text.getvalue().encode("utf-8", "replace")


def _cell(value: Cell) -> str | int | float:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return value
    value = ";".join(value) if isinstance(value, tuple) else value
    return guarded(value)
