"""Every case and every review as the page's program reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_reviewbench.errors import ReviewbenchError
from pytest_reviewbench.model import TWIN, Finding, Matches, RunManifest, Verdicts
from pytest_reviewbench.report.document import CaseRow, Report
from pytest_reviewbench.report.page.patch_rows import drawn
from pytest_reviewbench.report.page.telling import Book, Telling
from pytest_reviewbench.report.page.transcript import excerpt
from pytest_reviewbench.report.page.visible import visible
from pytest_reviewbench.runs.folder import RunFolder
from pytest_reviewbench.runs.outcomes import fits

MOST_FINDINGS = 200
ROOM = 24_000_000
"""Characters of changes and transcripts in one page; what has no room is said to be in corpus and run folder."""

NO_ROOM = "left out: this page is large enough"


class Room:
    """What is left for changes and transcripts."""

    def __init__(self, left: int = ROOM) -> None:
        self.left = left

    def take(self, size: int) -> bool:
        fits_in = size <= self.left
        self.left -= size if fits_in else 0
        return fits_in


def page_data(report: Report, runs: Sequence[RunFolder], book: Book, telling: Telling) -> dict[str, Any]:
    """`{"arms", "verifier", "cases": [...], "reviews": [per case, per arm, the reps]}`, cases sorted by id.

    Each review is what its `CaseRow` says with what the run folder keeps. Raises `RunError`.
    """
    room = Room()
    rows: dict[str, dict[str, list[CaseRow]]] = {}
    for arm, made in report.arms.items():
        for row in (*made.cases, *made.twins):
            rows.setdefault(row.case, {}).setdefault(arm, []).append(row)
    manifests = {run.name: run.manifest() for run in runs}
    folders = {(manifests[run.name].arm, manifests[run.name].rep): run for run in runs}
    verdicts = {run.name: {name: run.verdicts(name) for name in run.verifiers()} for run in runs}
    sides = _sides(manifests.values())
    arms = list(report.arms)
    cases, reviews = [], []
    for case in sorted(rows, key=lambda name: (name.removesuffix(TWIN), name)):
        told = telling.tells(case, book.split(case) or sides.get(case))
        matches: Matches | None = None
        cells = []
        for arm in arms:
            cell = []
            for row in rows[case].get(arm, ()):
                run = folders.get((arm, row.rep))
                found = run.matches(case) if run is not None else None
                matches = matches or found
                judged = {} if run is None else {n: v.get(case, []) for n, v in verdicts[run.name].items()}
                cell.append(_review(row, run, found, judged, telling if told else None, room))
            cells.append(cell)
        cases.append(_case(case, rows[case], matches, book, told, room))
        reviews.append(cells)
    return {
        "arms": arms,
        "verifier": report.verifier,
        "taintedCounted": report.tainted_counted,
        "cases": cases,
        "reviews": reviews,
    }


def _sides(manifests: Iterable[RunManifest]) -> dict[str, str]:
    """On which side of the split cases stand by what the manifests say; a run over both does not say it."""
    return {case: one.split for one in manifests if one.split != "all" for case in one.cases}


def _case(
    name: str, rows: Mapping[str, list[CaseRow]], matches: Matches | None, book: Book, told: bool, room: Room
) -> dict[str, Any]:
    case = book.case(name)
    every = [row for reps in rows.values() for row in reps]
    made: dict[str, Any] = {
        "id": name,
        "lang": next((row.lang for row in every if row.lang), None),
        "class": matches.class_ if matches else None,
        "published": matches.published if matches else None,
        "twin": name.endswith(TWIN),
        "bugs": [{"id": bug.id, "severity": bug.severity} for bug in matches.bugs] if matches else None,
        "told": told,
    }
    if case is None:
        return made | {"why": visible(book.lacking or "the case is sealed, or not in this corpus")}
    try:
        shown = book.show(case)
    except ReviewbenchError as e:
        return made | {
            "why": visible(str(e)) if told else "the change cannot be shown"
        }  # why may name the bug's file
    patch = drawn(shown.patch_bytes)
    if room.take(patch.size):
        made |= {"patch": patch.files, "left": patch.left}
    else:
        made["why"] = NO_ROOM
    if told:
        made["truth"] = [
            {
                "id": bug.id or f"b{n}",
                "file": bug.file,
                "line": bug.line,
                "end": bug.end_line,
                "bug": visible(bug.bug or ""),
                "example": visible(bug.example or ""),
            }
            for n, bug in enumerate(shown.bugs, 1)
        ]
    return made


def _review(
    row: CaseRow,
    run: RunFolder | None,
    matches: Matches | None,
    verdicts: Mapping[str, Sequence[Verdicts]],
    telling: Telling | None,
    room: Room,
) -> dict[str, Any]:
    """One review; `telling` None: no reason of a verdict may be told."""
    review = run.review(row.case) if run is not None else None
    made: dict[str, Any] = {"rep": row.rep, "status": row.status, "tainted": row.tainted}
    if row.reason:
        made["error"] = visible(row.reason)
    if review is None or run is None:
        return made
    usage = review.usage
    steps = excerpt(run.path, row.case)
    if steps and not room.take(sum(len(words) for _, words in steps)):
        steps = [("…", NO_ROOM)]
    complete = {name: [r for r in records if fits(review, r)] for name, records in verdicts.items()}
    judged = {name: records[-1] for name, records in complete.items() if records}
    failed = {name: r[-1] for name, r in verdicts.items() if r and name not in judged}
    return made | {
        "run": run.name,
        "kind": review.error.kind if review.error else None,
        "cost": review.cost_usd,
        "source": review.cost_source,
        "seconds": review.seconds,
        "tokens": None if usage is None else _sum(usage.input_tokens, usage.output_tokens),
        "turns": None if usage is None else usage.turns,
        "model": visible(review.model, 200) if review.model else None,
        "attempts": review.attempts,
        "skill": review.skill_loaded,
        "taint": [visible(said, 300) for said in review.taint[:20]],
        "refused": [visible(said, 300) for said in review.refused[:20]],
        "warnings": [visible(said, 500) for said in review.warnings[:20]],
        "unjudged": [
            f"{name}: {visible(record.error.message if record.error else 'incomplete', 300)}"
            for name, record in failed.items()
        ],
        "findings": [_finding(f, matches, judged, telling) for f in review.findings[:MOST_FINDINGS]],
        "left": max(0, len(review.findings) - MOST_FINDINGS),
        "steps": steps,
    }


def _finding(
    finding: Finding, matches: Matches | None, judged: Mapping[str, Verdicts], telling: Telling | None
) -> dict[str, Any]:
    evidence = matches.evidence.get(finding.id) if matches else None
    made: dict[str, Any] = {
        "id": finding.id,
        "text": visible(finding.text),
        "file": visible(finding.file, 400) if finding.file else None,
        "line": finding.line,
        "end": finding.end_line,
        "severity": finding.severity,
        "tool": visible(finding.tool, 80) if finding.tool else None,
        "rule": visible(finding.rule, 80) if finding.rule else None,
        "hits": list(matches.hits.get(finding.id, ())) if matches else [],
        "fix": evidence.touches_fix if evidence else None,
        "gone": evidence.gone_when_fixed if evidence else None,
        "verdicts": [],
    }
    for name, record in judged.items():
        verdict = record.verdicts[finding.id]
        said: dict[str, Any] = {"by": name, "verdict": verdict.verdict, "bugs": list(verdict.bugs)}
        if telling is not None and verdict.reason:
            reason = telling.reason(verdict.reason)
            said["reason"] = None if reason is None else visible(reason)
        made["verdicts"].append(said)
    return made


def _sum(*counts: int | None) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
