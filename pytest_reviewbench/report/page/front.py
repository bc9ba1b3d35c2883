"""The part of the page that is read first: what was measured, who found more, how sure that is, at what cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_reviewbench.report.cells import Table, part_of, quantity, ratio
from pytest_reviewbench.report.document import ArmReport, Interval, Number, Report
from pytest_reviewbench.report.notices import broken_gates, contamination, reasons, uncontained
from pytest_reviewbench.report.page.figures import bar, forest, money, scatter
from pytest_reviewbench.report.page.telling import Telling
from pytest_reviewbench.report.page.visible import visible
from pytest_reviewbench.report.tables import build_tables

NAMES = {
    "recall_strict": "Recall, by the matcher",
    "recall_adjudicated": "Recall, by the verifier",
    "precision_strict": "Precision, by the matcher",
    "precision_verified": "Precision, by the verifier",
    "precision_bugs": "Precision counting bugs",
    "precision_bugs_judged": "Precision counting bugs, by the verifier",
    "precision_verified_decided": "Precision without the unverifiable",
    "precision_strict_deduplicated": "Precision without duplicates",
    "false_alarms_clean": "Alarms on clean changes",
    "false_alarms_judged": "False alarms on clean changes, by the verifier",
}
"""What a number is called on the page; every other is called as in report.json."""

NOT_COUNTED = ("unparsable", "error", "crashed", "not_attempted", "not_run", "tainted")

GROUPS = (
    ("by_language", "Language"),
    ("by_severity", "Severity of the bug"),
    ("by_class", "Class of the case"),
    ("by_date", "Date of the fix"),
)

NOT_SHOWN_TWICE = ("Bugs found and findings that match", "By case", "By language", "By severity of the bug")


def front(report: Report, telling: Telling, lacking: str | None) -> dict[str, Any]:
    """All that the template shows, ready to print: text is made visible here, and escaped by the template."""
    ranked = sorted(report.arms, key=lambda arm: (-(_recall(report.arms[arm]) or 0), arm))
    return {
        "report": report,
        "facts": list(_facts(report, ranked)),
        "warnings": [visible(line) for line in _warnings(report)],
        "notes": [visible(line) for line in _notes(report, telling, lacking)],
        "headline": [_row(name, report.arms[name]) for name in ranked],
        "judged": report.verifier,
        "forests": [(number, named(number), forest(report.pairs, number)) for number in _compared(report)],
        "scatter": scatter(report),
        "groups": [group for field, title in GROUPS if (group := _group(report, field, title))],
        "tables": [_visible(t) for t in build_tables(report) if t.rows and t.title not in NOT_SHOWN_TWICE],
        "reasons": [visible(line) for line in reasons(report)],
        "unjudged": [visible(line) for line in report.unjudged],
        "missing": [visible(line) for line in report.missing],
        "resampling": report.resampling,
    }


def named(number: str) -> str:
    return NAMES.get(number, number.replace("_", " "))


def _recall(arm: ArmReport) -> Number:
    strict = arm.numbers.get("recall_strict")
    return arm.numbers.get("recall_adjudicated") if strict is None else strict


def _facts(report: Report, ranked: list[str]) -> Iterator[tuple[str, str, str]]:
    """(question, answer, what to know with it)."""
    bugs: dict[str, int] = {}
    for arm in report.arms.values():
        for row in arm.cases:
            if row.bugs is not None:
                bugs[row.case] = row.bugs
    cases = {row.case for arm in report.arms.values() for row in arm.cases}
    clean = sum(number == 0 for number in bugs.values())
    yield (
        "Measured",
        f"{_some(len(report.arms), 'reviewer')} on {_some(len(cases), 'real code change')}",
        f"{_some(sum(bugs.values()), 'known bug')}; {_some(clean, 'change')} without one; split {report.split}",
    )
    best = ranked[0] if ranked else ""
    numbers = report.arms[best].numbers if best else {}
    recall = _recall(report.arms[best]) if best else None
    if recall is None:
        yield "Found most", "not measured", "no review has an answer that counts"
    else:
        strict = numbers.get("recall_strict") is not None
        hit, whole = ("bugs_hit", "bugs") if strict else ("bugs_named", "bugs_judged")
        verified = numbers.get("precision_verified")
        matched = numbers.get("precision_strict")
        true = (
            f"{percent(verified)} of its findings are true, by {report.verifier}"
            if verified is not None
            else f"{percent(matched)} of its findings name a known bug"
            if matched is not None
            else "it reported nothing else"
        )
        yield "Found most", f"{best}: {part_of(numbers, hit, whole)} bugs, {percent(recall)}", true
    yield ("How sure", *_how_sure(report, ranked))
    yield ("At what cost", *_cost(report, best))


def _how_sure(report: Report, ranked: list[str]) -> tuple[str, str]:
    if not ranked:
        return "not measured", ""
    best = report.arms[ranked[0]]
    name = "recall_strict" if best.numbers.get("recall_strict") is not None else "recall_adjudicated"
    interval = best.intervals.get(name)
    first = f"{percent(interval.low)} to {percent(interval.high)}" if interval else "no interval"
    about = f"the 95 % interval of {ranked[0]}'s recall" if interval else "nothing says how far this recall carries"
    if len(ranked) > 1:
        pair = next((p for p in report.pairs if {p.a, p.b} == set(ranked[:2])), None)
        about = f"{about}. {visible(pair.said)}" if pair is not None else about
    return first, about


def _cost(report: Report, best: str) -> tuple[str, str]:
    costs = {name: arm.numbers.get("cost_per_review_usd") for name, arm in report.arms.items()}
    unknown = [name for name, cost in costs.items() if cost is None]
    known = {name: cost for name, cost in costs.items() if cost is not None}
    said = f"{money(costs[best])} a review" if best else "not measured"
    if best and costs[best] is None:
        said = "not known"
    rest = []
    if best and (bug := report.arms[best].numbers.get("cost_per_bug_usd")) is not None:
        rest.append(f"{best}: {money(bug)} a bug found")
    if len(known) > 1:
        least = min(known, key=lambda name: (known[name], name))
        if least != best:
            rest.append(f"least: {least}, {money(known[least])} a review")
    if unknown:
        rest.append(f"not known of {', '.join(unknown)}")
    return said, "; ".join(rest)


def _row(name: str, arm: ArmReport) -> dict[str, Any]:
    n = arm.numbers
    out = [(word.replace("_", " "), n[word]) for word in NOT_COUNTED]
    return {
        "arm": name,
        "hit": part_of(n, "bugs_hit", "bugs"),
        "recall": _rate(arm, "recall_strict"),
        "matched": part_of(n, "findings_matched", "findings"),
        "precision": _rate(arm, "precision_strict"),
        "named": part_of(n, "bugs_named", "bugs_judged"),
        "recall_judged": _rate(arm, "recall_adjudicated"),
        "precision_judged": _rate(arm, "precision_verified"),
        "alarms": part_of(n, "clean_with_findings", "clean"),
        "cost": money(n.get("cost_per_review_usd")) if n.get("cost_per_review_usd") is not None else "–",
        "cost_bug": money(n.get("cost_per_bug_usd")) if n.get("cost_per_bug_usd") is not None else "–",
        "seconds": quantity(n["seconds_mean"], 1).replace("-", "–"),
        "used": part_of(n, "used", "cases") if len(arm.by_rep) < 2 else quantity(n["used"]),
        "out": ", ".join(f"{quantity(number)} {word}" for word, number in out if number),
    }


def _rate(arm: ArmReport, number: str) -> dict[str, Any]:
    value, interval = arm.numbers.get(number), arm.intervals.get(number)
    return {
        "text": ratio(value).replace("-", "–"),
        "interval": between(interval),
        "bar": bar(value, interval.low if interval else None, interval.high if interval else None),
    }


def _compared(report: Report) -> list[str]:
    """The numbers that pairs have a difference of, the ones with a name on the page first."""
    found = {n for pair in report.pairs for n, d in pair.numbers.items() if d.value is not None}
    return [*(n for n in NAMES if n in found), *sorted(found - NAMES.keys())]


def _group(report: Report, field: str, title: str) -> dict[str, Any] | None:
    """Recall per group and arm; None: there is one group at most, or no bug in any."""
    arms: list[Mapping[str, Mapping[str, Number]]] = [getattr(arm, field) for arm in report.arms.values()]
    found = list(dict.fromkeys(group for by in arms for group in by))
    if len(found) < 2:
        return None
    rows = []
    for group in found:
        cells = []
        for by in arms:
            n = by.get(group)
            value = n["recall_strict"] if n else None
            of = part_of(n, "bugs_hit", "bugs") if n else ""
            cells.append({"text": ratio(value).replace("-", "–"), "of": of, "bar": bar(value, None, None)})
        rows.append({"group": visible(group, 80), "cells": cells})
    return {"title": title, "rows": rows}


def _warnings(report: Report) -> Iterator[str]:
    yield from uncontained(report)
    yield from contamination(report)
    if report.partial:
        yield f"PARTIAL: {len(report.missing)} reviews have no record; every number is over what is there"
    unfinished = [run.name for run in report.runs if not run.complete]
    if unfinished:
        yield f"NOT COMPLETE: {', '.join(unfinished)}"
    if report.own_model:
        yield f"JUDGED BY THEIR OWN MODEL: {', '.join(report.own_model)}"
    never = [name for name, arm in report.arms.items() if arm.numbers.get("trigger_rate") == 0]
    if never:
        yield f"SKILL NEVER LOADED: {', '.join(never)} measured the agent without its skill"
    yield from (f"GATE: {line}" for line in broken_gates(report))


def _notes(report: Report, telling: Telling, lacking: str | None) -> Iterator[str]:
    if not report.verified:
        yield (
            "Nobody has judged the findings: one counts where it names a known bug in foreseen words, and what is"
            " true beyond that is not known. The verdicts of a judge or a person say it: reviewbench verify RUN..."
        )
    if telling.hidden:
        yield (
            f"Of {_some(len(telling.hidden), 'test case')} the bugs and the reasons of verdicts are hidden, so that"
            " nobody tunes on them. --reviewbench-reveal-test in pytest, or reviewbench report --html FILE"
            " --reveal-test, shows them."
        )
    if telling.sealed:
        yield (
            f"{_some(telling.sealed, 'reason')} of verdicts cannot be opened: REVIEWBENCH_SEAL_KEY takes the key of"
            " the corpus."
        )
    if lacking is not None:
        yield f"Changes are not shown: {lacking}"
    if report.absent:
        yield f"{_some(report.absent, 'case')} listed without a folder and skipped"
    if report.unjudged:
        yield f"{_some(len(report.unjudged), 'review')} without verdicts of {report.verifier}: All tables say why"


def _visible(table: Table) -> Table:
    rows = tuple(tuple(visible(cell) for cell in row) for row in table.rows)
    note = table.note[:1].upper() + table.note[1:] + ("." if table.note else "")
    return Table(table.title, table.header, rows, note)


def between(interval: Interval | None) -> str:
    """`0.12–0.34`, as an interval stands beside its number."""
    return "" if interval is None else f"{interval.low:.2f}–{interval.high:.2f}"


def percent(value: Number) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


def _some(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")
