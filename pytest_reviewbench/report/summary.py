"""What a session says of itself: at its start, and at its end around the numbers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pytest_reviewbench.contain.sandbox import Sandbox
from pytest_reviewbench.corpus.loaded import Corpus
from pytest_reviewbench.model import Case
from pytest_reviewbench.report.document import Report
from pytest_reviewbench.report.files import PAGE
from pytest_reviewbench.report.notices import broken_bounds, broken_gates
from pytest_reviewbench.report.terminal import terminal_lines
from pytest_reviewbench.settings import Settings

MOST_WARNINGS = 10


def header_lines(
    corpus: Corpus, selected: Sequence[Case], settings: Settings, sandbox: Sandbox, skills: Mapping[str, str]
) -> list[str]:
    """The lines under pytest's own header. `skills` says which arm gives which."""
    arms = ", ".join(spec.name for spec in settings.arms)
    chosen = "by --reviewbench-case" if settings.cases else f"split {settings.split}"
    absent = f"; {len(corpus.absent)} listed without a folder, skipped" if corpus.absent else ""
    cases = [case for case in selected if not case.is_twin]
    twins = ""
    if settings.twins or len(cases) < len(selected):
        lack = sum(case.twin is None for case in cases)
        twins = f" and {len(selected) - len(cases)} fixed twins" + (f"; {lack} cases have none" if lack else "")
    reps = f", reps {','.join(map(str, settings.reps))}" if settings.reps != (1,) else ""
    return [
        f"reviewbench: arms {arms}{reps}; {len(cases)} of {len(corpus.cases)} cases ({chosen}){twins}{absent}",
        f"reviewbench: corpus {corpus.folder}" + (" (shipped, there is none here)" if settings.shipped else ""),
        f"reviewbench: sandbox {sandbox.name}" + (f": {sandbox.reason}" if sandbox.reason else ""),
        *(f"reviewbench: skill of {arm}: {skill}" for arm, skill in skills.items()),
    ]


def summary_lines(
    report: Report | None,
    *,
    runs: Path,
    here: Path,
    warnings: Sequence[str],
    trouble: str | None,
    brief: bool,
    budget: Sequence[str] = (),
    page: bool = False,
) -> Iterator[str]:
    """The lines of the terminal summary; `brief` leaves only the headline. `budget` is what one led to,
    `page`: report.html is there.
    """
    for warning in warnings[:MOST_WARNINGS]:
        yield f"warning: {warning}"
    if len(warnings) > MOST_WARNINGS:
        yield f"warning: {len(warnings) - MOST_WARNINGS} more of this kind"
    if report is not None:
        yield from terminal_lines(report, brief=brief)
        yield ""
        shown = _relative(runs, here)
        for run in report.runs:
            said = "" if run.complete else f"  NOT COMPLETE: reviewbench report --partial {shown}/{run.name}"
            yield f"run {shown}/{run.name}{said}"
        written = ["report.json", "report.md", *[PAGE] * page]
        yield "report " + ", ".join(f"{shown}/{name}" for name in written)
        yield from (f"GATE: {line}" for line in broken_gates(report))
        yield from (f"GATE: {line}" for line in broken_bounds(report))
        yield from budget
    elif trouble is None:
        yield "no review was selected, so nothing was measured"
    if trouble is not None:
        yield f"TROUBLE: {trouble}; the run folders hold every review that was done"


def _relative(path: Path, start: Path) -> str:
    shown = os.path.relpath(path, start)
    return str(path) if shown.startswith("..") else shown
