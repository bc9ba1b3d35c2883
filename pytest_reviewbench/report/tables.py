"""The report as tables of short strings: one content for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_reviewbench.model import TWIN
from pytest_reviewbench.report.cells import NOT_KNOWN, Table, numbers_of, part_of, quantity, ratio
from pytest_reviewbench.report.document import CaseRow, Number, Report
from pytest_reviewbench.report.interval_tables import interval_tables
from pytest_reviewbench.report.panel_tables import panel_tables
from pytest_reviewbench.report.suspect_tables import suspect_tables
from pytest_reviewbench.report.twin_tables import twins_table
from pytest_reviewbench.report.verified_tables import verified_tables


def build_tables(report: Report) -> Iterator[Table]:
    """Every table of the report, the most asked for first."""
    yield _headline(report)
    if any(arm.numbers["twins"] for arm in report.arms.values()):
        yield twins_table(report)
    yield from verified_tables(report)
    yield from panel_tables(report)
    yield from suspect_tables(report)
    yield from interval_tables(report)
    yield _policies(report)
    yield _statuses(report)
    yield _spending(report)
    if any(arm.numbers["skill_known"] for arm in report.arms.values()):
        yield _skills(report)
    yield _languages(report)
    yield _severities(report)
    if any(len(arm.by_rep) > 1 for arm in report.arms.values()):
        yield _reps(report)
    if report.gates:
        yield _gates(report)
    yield _cases(report)


def _headline(report: Report) -> Table:
    return Table(
        "Bugs found and findings that match",
        (
            "arm",
            "bugs hit",
            "recall",
            "matched",
            "precision",
            "dedup",
            "per bug",
            "dup",
            "touch fix",
            "gone",
            "alarms",
        ),
        tuple(
            (
                arm,
                part_of(n, "bugs_hit", "bugs"),
                ratio(n["recall_strict"]),
                part_of(n, "findings_matched", "findings"),
                ratio(n["precision_strict"]),
                ratio(n["precision_strict_deduplicated"]),
                ratio(n["precision_bugs"]),
                quantity(n["duplicates"]),
                _evidence(n, "touches_fix"),
                _evidence(n, "gone_when_fixed"),
                part_of(n, "clean_with_findings", "clean"),
            )
            for arm, n in numbers_of(report)
        ),
        "strict matcher, over reviews with status ok: recall_strict, precision_strict (raw and without duplicates),"
        " precision_bugs; touch fix and gone (when fixed) are evidence, not a verdict",
    )


def _evidence(n: Mapping[str, Number], name: str) -> str:
    return part_of(n, name, f"{name}_known") if n[name] is not None else NOT_KNOWN


def _policies(report: Report) -> Table:
    return Table(
        "If an unparsable answer counts as no finding",
        ("arm", "recall", "recall all", "precision", "precision all", "clean alarms", "clean alarms all"),
        tuple(
            (
                arm,
                ratio(n["recall_strict"]),
                ratio(n["recall_strict_all"]),
                ratio(n["precision_strict"]),
                ratio(n["precision_strict_all"]),
                ratio(n["false_alarms_clean"]),
                ratio(n["false_alarms_clean_all"]),
            )
            for arm, n in numbers_of(report)
        ),
    )


def _statuses(report: Report) -> Table:
    return Table(
        "Reviews by status",
        ("arm", "ok", "unparsable", "error", "crashed", "not attempted", "not run", "tainted", "refused"),
        tuple(
            (
                arm,
                *(quantity(n[s]) for s in ("ok", "unparsable", "error", "crashed", "not_attempted", "not_run")),
                quantity(n["tainted"]),
                quantity(n["refused_looks"]),
            )
            for arm, n in numbers_of(report)
        ),
        "only ok can be a miss; everything else is in no denominator, nor is what is tainted: a session that looked"
        " beyond its task and saw something (refused: it saw nothing)",
    )


def _spending(report: Report) -> Table:
    return Table(
        "Time and cost",
        (
            "arm",
            "seconds",
            "s/review",
            "cost USD",
            "cost known",
            "per review",
            "per bug",
            "source",
            "tokens",
            "turns",
        ),
        tuple(
            (
                name,
                quantity(n["seconds"], 1),
                quantity(n["seconds_mean"]),
                quantity(n["cost_usd"], 4),
                part_of(n, "cost_known", "started"),
                quantity(n["cost_per_review_usd"], 4),
                quantity(n["cost_per_bug_usd"], 4),
                "+".join(arm.cost_sources) or NOT_KNOWN,
                quantity(n["tokens"]),
                quantity(n["turns"]),
            )
            for name, arm in report.arms.items()
            for n in [arm.numbers]
        ),
        "sums over started reviews whose value is known; per review and per bug hit only where every cost is known;"
        " - is not known",
    )


def _skills(report: Report) -> Table:
    never = [name for name, arm in report.arms.items() if arm.numbers["trigger_rate"] == 0]
    return Table(
        "Skill loaded",
        ("arm", "loaded", "trigger rate"),
        tuple(
            (name, part_of(arm.numbers, "skill_loaded", "skill_known"), ratio(arm.numbers["trigger_rate"]))
            for name, arm in report.arms.items()
            if arm.numbers["skill_known"]
        ),
        "sessions whose event stream shows that they got the skill's text"
        + (f"; NEVER LOADED: {', '.join(never)} measured the agent without its skill" if never else ""),
    )


def _languages(report: Report) -> Table:
    return Table(
        "By language",
        ("arm, language", "used", "bugs hit", "recall", "findings", "precision", "clean alarms"),
        tuple(
            (
                f"{name}, {lang}",
                part_of(n, "used", "cases") if len(arm.by_rep) < 2 else quantity(n["used"]),
                part_of(n, "bugs_hit", "bugs"),
                ratio(n["recall_strict"]),
                quantity(n["findings"]),
                ratio(n["precision_strict"]),
                part_of(n, "clean_with_findings", "clean"),
            )
            for name, arm in report.arms.items()
            for lang, n in arm.by_language.items()
        ),
    )


def _severities(report: Report) -> Table:
    return Table(
        "By severity of the bug",
        ("arm, severity", "bugs hit", "recall"),
        tuple(
            (f"{name}, {severity}", part_of(n, "bugs_hit", "bugs"), ratio(n["recall_strict"]))
            for name, arm in report.arms.items()
            for severity, n in arm.by_severity.items()
        ),
    )


def _reps(report: Report) -> Table:
    return Table(
        "By repetition",
        ("arm, rep", "used", "bugs hit", "recall", "findings", "precision"),
        tuple(
            (
                f"{name}, {rep}",
                quantity(n["used"]),
                part_of(n, "bugs_hit", "bugs"),
                ratio(n["recall_strict"]),
                quantity(n["findings"]),
                ratio(n["precision_strict"]),
            )
            for name, arm in report.arms.items()
            for rep, n in arm.by_rep.items()
        ),
    )


def _gates(report: Report) -> Table:
    return Table(
        "Gates",
        ("gate", "arm", "value", "held"),
        tuple((g.gate, g.arm, g.said, "yes" if g.held else "NO") for g in report.gates),
    )


def _cases(report: Report) -> Table:
    said: dict[str, dict[str, list[str]]] = {}
    languages: dict[str, str] = {}
    for name, arm in report.arms.items():
        for row in (*arm.cases, *arm.twins):
            said.setdefault(row.case, {}).setdefault(name, []).append(_said(row))
            if row.lang:
                languages[row.case] = row.lang
    return Table(
        "By case",
        ("case", "language", *report.arms),
        tuple(
            (
                case,
                languages.get(case, NOT_KNOWN),
                *(", ".join(said[case].get(name, [NOT_KNOWN])) for name in report.arms),
            )
            for case in sorted(said)
        ),
        "hit a/b: a of b bugs; +n: findings beyond those that match; reps are joined by a comma"
        + (
            "; claimed: a finding names the bug that the twin lacks"
            if any(a.twins for a in report.arms.values())
            else ""
        ),
    )


def _said(row: CaseRow) -> str:
    if row.tainted:
        return "tainted"
    if row.status != "ok":
        return row.status.replace("_", " ")
    assert row.findings is not None
    assert row.findings_matched is not None
    beyond = row.findings - row.findings_matched
    if row.case.endswith(TWIN):
        return ("claimed" if row.bugs_hit else "not claimed") + (f" +{beyond}" if beyond else "")
    if row.bugs == 0:
        return f"clean, {row.findings} found" if row.findings else "clean"
    verb = "hit" if row.bugs_hit else "miss"
    return f"{verb} {row.bugs_hit}/{row.bugs}" + (f" +{beyond}" if beyond else "")
