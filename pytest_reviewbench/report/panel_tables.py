"""Tables of what several verifiers make of the same findings."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_reviewbench.report.cells import NOT_KNOWN, Table, quantity, ratio
from pytest_reviewbench.report.document import Report
from pytest_reviewbench.report.panel_document import Agreement, Panel


def panel_tables(report: Report) -> Iterator[Table]:
    """None with fewer than two verifiers."""
    if report.panel is None:
        return
    yield _agreement(report.panel)
    yield _pairs(report.panel)
    if report.corrected:
        yield _corrected(report)
    if report.panel.disputed:
        yield _disputed(report.panel)


def _agreement(panel: Panel) -> Table:
    def row(name: str, one: Agreement) -> tuple[str, ...]:
        said = (quantity(one.findings), ratio(one.raw), ratio(one.alpha), ratio(one.fleiss))
        return (name, *said, quantity(one.fleiss_findings))

    return Table(
        "Agreement of verifiers",
        ("on", "findings", "raw", "alpha", "Fleiss", "over"),
        (row("the four verdicts", panel.words), row("true or not", panel.truth)),
        "over distinct findings that two or more judged: the share of agreeing pairs, Krippendorff's alpha, Fleiss'"
        " kappa (over those that most judged); 1 is perfect, 0 what chance gives, - not defined",
    )


def _pairs(panel: Panel) -> Table:
    return Table(
        "Two verifiers each",
        ("verifiers", "findings", "agreed", "Cohen"),
        tuple(
            (f"{pair.a}, {pair.b}", quantity(pair.findings), quantity(pair.agreed), ratio(pair.kappa))
            for pair in panel.pairs
        ),
    )


def _corrected(report: Report) -> Table:
    return Table(
        "Corrected for the judge, by human labels",
        ("arm, judge, human", "share", "raw", "corrected", "low", "high", "sens", "spec", "labels"),
        tuple(
            (
                f"{one.arm}, {one.judge}, {one.human}",
                one.of,
                *(ratio(n) for n in (one.raw, one.value, one.low, one.high, one.sensitivity, one.specificity)),
                f"{one.positive}+{one.negative}",
            )
            for one in report.corrected
        ),
        "Rogan and Gladen; labels: of that kind + others; - too few of either, or a judge no better than chance",
    )


def _disputed(panel: Panel) -> Table:
    return Table(
        "Disputed findings",
        ("case, finding", "reported by", *panel.verifiers),
        tuple(
            (
                f"{one.case}, {one.finding}",
                ", ".join(one.arms),
                *(one.words.get(verifier, NOT_KNOWN) for verifier in panel.verifiers),
            )
            for one in panel.disputed
        ),
        "a finding that several arms report is judged once; majority: more than half, else unverifiable",
    )
