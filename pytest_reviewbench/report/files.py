"""`report.json` and `report.md`, beside the run folders."""

from __future__ import annotations

from pathlib import Path

from pytest_reviewbench import codec
from pytest_reviewbench.report.document import Report
from pytest_reviewbench.report.markdown import markdown
from pytest_reviewbench.runs import store

PAGE = "report.html"
"""The page stands beside them (`report.page.writing`)."""


def write_reports(report: Report, folder: Path) -> tuple[Path, Path]:
    """Write both files into `folder`, taking the place of the last session's; their paths."""
    as_json, as_markdown = folder / "report.json", folder / "report.md"
    store.replace(as_json, codec.encode(report))
    store.replace(as_markdown, markdown(report).encode())
    return as_json, as_markdown
