"""The report for the page of a CI job: appended to the file that GitHub Actions names, within its bounds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pytest_reviewbench.report.document import Report
from pytest_reviewbench.report.markdown import markdown

VARIABLE = "GITHUB_STEP_SUMMARY"

MOST_BYTES = 1024 * 1024
"""Of one step: of more GitHub shows nothing at all
(https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands)."""


def add_step_summary(report: Report, environ: Mapping[str, str]) -> str | None:
    """Append `report` where the environment asks for it; what went wrong, in a line, or None."""
    named = environ.get(VARIABLE)
    if not named:
        return None
    place = Path(named)
    try:
        taken = place.stat().st_size if place.exists() else 0
        with place.open("a", encoding="utf-8") as file:
            file.write(fitting(report, MOST_BYTES - taken - 1))
    except OSError as e:
        return f"{VARIABLE}={named}: {e.strerror}; no summary was written there"
    return None


def fitting(report: Report, room: int) -> str:
    """The report as Markdown in at most `room` bytes of UTF-8: whole, else its headline, else a line, else ""."""
    for text in (markdown(report), markdown(report, brief=True), SHORTEST):
        if len(text.encode("utf-8", "replace")) <= room:
            return text
    return ""


SHORTEST = "# Review benchmark\n\nThere is no room for the report in this summary; it is in report.md.\n"
