"""Tables of how sure the numbers are, and of arms side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_reviewbench.report.cells import NOT_KNOWN, Table, part_of, quantity, ratio
from pytest_reviewbench.report.document import ArmReport, Comparison, Difference, Interval, Number, Pair, Report

HEADLINES = (
    "recall_strict",
    "precision_strict",
    "recall_adjudicated",
    "precision_verified",
    "precision_bugs_judged",
)
"""Of the numbers with intervals these are the ones that are printed; report.json has all."""


def interval_tables(report: Report) -> Iterator[Table]:
    """Intervals of each arm; of several arms their differences."""
    shown = [name for name in HEADLINES if any(name in arm.intervals for arm in report.arms.values())]
    if shown:
        yield _intervals(report, shown)
    yield from pair_tables(report.pairs)
    if report.frontier and len(report.arms) > 1:
        yield _frontier(report)


def headline_with_intervals(report: Report) -> Table:
    """What is asked for first, in one table: the rates with their intervals, and what a review costs."""
    measured = [name for name in HEADLINES if any(arm.numbers[name] is not None for arm in report.arms.values())]
    shown = [name for name in HEADLINES if name in measured or name in HEADLINES[:2]]
    return Table(
        "Headline",
        ("arm", "used", "bugs hit", *(name.replace("_", " ") for name in shown), "alarms", "USD per review"),
        tuple(
            (
                name,
                part_of(arm.numbers, "used", "cases") if len(arm.by_rep) < 2 else quantity(arm.numbers["used"]),
                part_of(arm.numbers, "bugs_hit", "bugs"),
                *(_with_interval(arm, number) for number in shown),
                part_of(arm.numbers, "clean_with_findings", "clean"),
                quantity(arm.numbers["cost_per_review_usd"], 4),
            )
            for name, arm in report.arms.items()
        ),
        "in brackets 95 % intervals; alarms: clean controls with a finding; - is not known",
    )


def pair_tables(pairs: Sequence[Pair]) -> Iterator[Table]:
    """Differences of every pair, and its costs."""
    shown = [name for name in HEADLINES if any(name in pair.numbers for pair in pairs)]
    if pairs:
        yield _differences(pairs, shown)
        yield _costs(pairs)


def comparison_head(made: Comparison) -> str:
    """What was compared with what."""
    against = f"with the baseline {made.baseline}" if made.baseline else "with each other"
    left = f", {made.left_out} cases left out that not all selected" if made.left_out else ""
    return (
        f"{', '.join(label for label in made.runs if label != made.baseline)} compared {against}: corpus "
        f"{made.corpus_sha256[:12]}, split {made.split}, {made.cases} cases{left}"
    )


def comparison_tables(made: Comparison) -> Iterator[Table]:
    """A comparison as tables."""
    shown = [name for name in HEADLINES if any(name in ends for ends in made.intervals.values())]
    yield Table(
        "Compared, on the same cases",
        ("arm or run", "bugs hit", *(name.replace("_", " ") for name in shown)),
        tuple(
            (label, part_of(n, "bugs_hit", "bugs"), *(ratio(n[name]) for name in shown))
            for label, n in made.numbers.items()
        ),
    )
    yield from pair_tables(made.pairs)
    if made.gates:
        yield Table(
            "Bounds",
            ("must not be", "of", "value", "held"),
            tuple((g.gate, g.arm, g.said, "yes" if g.held else "NO") for g in made.gates),
        )


def sentences(report: Report) -> list[str]:
    """What each pair shows, in words."""
    return [pair.said for pair in report.pairs]


def interval_cell(interval: Interval | None, digits: int = 3) -> str:
    """`0.12 to 0.34`; a minus sign is not read as a range."""
    return NOT_KNOWN if interval is None else f"{interval.low:.{digits}f} to {interval.high:.{digits}f}"


def _intervals(report: Report, shown: list[str]) -> Table:
    drawn = "packages with all their cases" if report.resampling.clusters == "origin" else "cases"
    return Table(
        "How sure: 95 % intervals",
        ("arm", *(name.replace("_", " ") for name in shown), "alarms"),
        tuple(
            (
                name,
                *(_with_interval(arm, number) for number in shown),
                _with_interval(arm, "false_alarms_clean"),
            )
            for name, arm in report.arms.items()
        ),
        f"percentile bootstrap over {drawn}, {report.resampling.resamples:,} resamples, seed"
        f" {report.resampling.seed}; alarms on clean controls by Wilson. Of few cases they are somewhat too narrow"
        " (docs/numbers.md#sure)",
    )


def _with_interval(arm: ArmReport, name: str) -> str:
    interval = arm.intervals.get(name)
    return f"{ratio(arm.numbers[name])} ({interval_cell(interval, 2)})" if interval else ratio(arm.numbers[name])


def _differences(pairs: Sequence[Pair], shown: list[str]) -> Table:
    return Table(
        "Arms compared",
        (
            "a - b",
            "cases",
            *(name.replace("_", " ") for name in shown),
            "only a",
            "only b",
            "p",
            "p Holm",
            "needed",
        ),
        tuple(
            (
                f"{pair.a} - {pair.b}",
                quantity(pair.cases),
                *(_difference(pair.numbers.get(name)) for name in shown),
                quantity(pair.only_a),
                quantity(pair.only_b),
                ratio(pair.p),
                ratio(pair.p_holm),
                quantity(pair.needed_cases),
            )
            for pair in pairs
        ),
        "on the cases that both finished; only a: cases of which a hit all bugs and b did not, p: exact McNemar"
        " test of these, Holm: corrected for all pairs; needed: cases that would show a difference of 5 points of"
        " recall",
    )


def _difference(difference: Difference | None) -> str:
    if difference is None or difference.value is None:
        return NOT_KNOWN
    ends = f" ({difference.interval.low:+.2f} to {difference.interval.high:+.2f})" if difference.interval else ""
    return f"{difference.value:+.3f}{ends}"


def _frontier(report: Report) -> Table:
    return Table(
        "Recall for money: the arms that no other beats in both",
        ("arm", "recall", "per review USD"),
        tuple(
            (arm, ratio(_quality(report, arm)), quantity(report.arms[arm].numbers["cost_per_review_usd"], 4))
            for arm in report.frontier
        ),
    )


def _quality(report: Report, arm: str) -> Number:
    n = report.arms[arm].numbers
    return n["recall_strict"] if n["recall_strict"] is not None else n["recall_adjudicated"]


def _costs(pairs: Sequence[Pair]) -> Table:
    return Table(
        "Costs compared",
        ("a / b", "median of ratios", "ratio of medians", "cases"),
        tuple(_cost(pair) for pair in pairs if pair.cost_cases),
        "over the cases of which both costs are known and above 0",
    )


def _cost(pair: Pair) -> tuple[str, ...]:
    return (
        f"{pair.a} / {pair.b}",
        quantity(pair.cost_ratio, 3),
        quantity(pair.cost_ratio_of_medians, 3),
        quantity(pair.cost_cases),
    )
