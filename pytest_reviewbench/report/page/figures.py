"""The geometry of the page's figures: pure numbers, which the templates draw as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_reviewbench.report.document import Pair, Report

BAR = 120
"""Width of the small bar beside a rate, in px."""
FOREST = 320
SCATTER = (640, 340)
MARGIN = (56, 24, 18, 46)
"""Left, right, top, bottom of the scatter plot."""


@dataclass(frozen=True, slots=True)
class Tick:
    at: float
    label: str


def bar(value: float | None, low: float | None, high: float | None) -> dict[str, float] | None:
    """A rate and its interval on 0 to 1: the x of its dot and of the ends, in px."""
    if value is None:
        return None
    return {
        "value": round(3 + value * (BAR - 6), 1),
        "low": round(3 + (value if low is None else low) * (BAR - 6), 1),
        "high": round(3 + (value if high is None else high) * (BAR - 6), 1),
    }


def forest(pairs: Sequence[Pair], number: str) -> dict[str, Any]:
    """The differences of one number as rows on one axis that has 0 in its middle: `{"rows", "ticks", "zero"}`.

    A row without a value has no marks. Every x is in px of a drawing `FOREST` wide.
    """
    shown = [(pair, pair.numbers.get(number)) for pair in pairs]
    ends = [
        abs(x)
        for _, d in shown
        if d is not None and d.value is not None
        for x in (d.value, *((d.interval.low, d.interval.high) if d.interval else ()))
    ]
    step = nice(max([0.05, *ends]) / 3)
    limit: float = step * math.ceil(max([0.05, *ends]) / step - 1e-9)

    def x(value: float) -> float:
        return round(8 + (value / limit + 1) / 2 * (FOREST - 16), 1)

    rows = []
    for pair, d in shown:
        mark = None
        if d is not None and d.value is not None:
            low, high = (d.interval.low, d.interval.high) if d.interval else (d.value, d.value)
            mark = {"value": x(d.value), "low": x(low), "high": x(high), "sure": low > 0 or high < 0}
        rows.append({"pair": pair, "difference": d, "mark": mark})
    count = round(limit / step)
    ticks = [Tick(x(step * n), signed(step * n, trim=True)) for n in range(-count, count + 1)]
    return {"rows": rows, "ticks": ticks, "zero": x(0)}


def scatter(report: Report) -> dict[str, Any]:
    """Recall against the cost of a review: `points`, the line of the `frontier`, ticks, and the `unknown` arms.

    Recall is the matcher's, or the verifier's where no arm has that. An arm without one of the two numbers is in
    `unknown` and has no point. Where costs lie more than 30 times apart, and none is 0, the axis is logarithmic.
    """
    strict = any(arm.numbers.get("recall_strict") is not None for arm in report.arms.values())
    name = "recall_strict" if strict else "recall_adjudicated"
    known, unknown = [], []
    for arm, made in report.arms.items():
        cost, recall = made.numbers.get("cost_per_review_usd"), made.numbers.get(name)
        if cost is None or recall is None:
            unknown.append({"arm": arm, "recall": recall, "cost": cost})
        else:
            known.append((arm, float(cost), float(recall), made.intervals.get(name)))
    width, height = SCATTER
    left, right, top, bottom = MARGIN
    costs = [cost for _, cost, _, _ in known]
    logarithmic = bool(costs) and min(costs) > 0 and max(costs) > 30 * min(costs)
    xticks: list[tuple[float, str]]
    if logarithmic:
        first, last = math.floor(math.log10(min(costs))), math.ceil(math.log10(max(costs)))
        span = max(1, last - first)
        xticks = [((n - first) / span, money(10.0**n)) for n in range(first, first + span + 1)]
    else:
        step = nice(max([1e-6, *costs]) / 4)
        count = max(1, math.ceil(max([1e-6, *costs]) / step - 1e-9))
        xticks = [(n / count, money(step * n)) for n in range(count + 1)]

    def x(cost: float) -> float:
        part = (math.log10(cost) - first) / span if logarithmic else cost / (step * count)
        return round(left + part * (width - left - right), 1)

    def y(rate: float) -> float:
        return round(top + (1 - rate) * (height - top - bottom), 1)

    points = [
        {
            "arm": arm,
            "x": x(cost),
            "y": y(recall),
            "low": y(interval.low) if interval else None,
            "high": y(interval.high) if interval else None,
            "cost": cost,
            "recall": recall,
            "interval": interval,
            "frontier": arm in report.frontier,
        }
        for arm, cost, recall, interval in sorted(known, key=lambda one: (one[1], one[0]))
    ]
    _label(points)
    return {
        "number": name,
        "points": points,
        "unknown": unknown,
        "line": " ".join(f"{p['x']},{p['y']}" for p in points if p["frontier"]),
        "xticks": [Tick(round(left + at * (width - left - right), 1), label) for at, label in xticks],
        "yticks": [Tick(y(n / 5), f"{n / 5:.1f}") for n in range(6)],
        "logarithmic": logarithmic,
    }


def _label(points: Sequence[dict[str, Any]]) -> None:
    """Give every point a place for its name where no other name is: right of it, or left at the right edge."""
    taken: list[tuple[float, float, float]] = []
    for point in points:
        name = point["arm"] if len(point["arm"]) <= 24 else point["arm"][:23] + "…"
        wide = 7.2 * len(name) + 10
        right = point["x"] + wide < SCATTER[0]
        start = point["x"] + 9 if right else point["x"] - 9 - wide
        y = point["y"] + 4
        for shift in (0, -15, 15, -30, 30, -45, 45):
            if not any(s < start + wide and e > start and abs(y + shift - at) < 14 for s, e, at in taken):
                y += shift
                break
        taken.append((start, start + wide, y))
        point |= {
            "name": name,
            "label_x": point["x"] + (9 if right else -9),
            "label_y": round(y, 1),
            "right": right,
        }


def nice(value: float) -> float:
    """The smallest of 1, 2, 2.5, 5 times a power of ten that is not below `value`."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(n * power for n in (1, 2, 2.5, 5, 10) if n * power >= value * (1 - 1e-9))


def signed(value: float, *, trim: bool = False) -> str:
    """`+0.050`, `-0.050`, `0`: with a true minus sign (U+2212). `trim`: without last zeros."""
    text = f"{value:+.3f}"
    if float(text) == 0:
        return "0"
    return (text.rstrip("0").rstrip(".") if trim else text).replace("-", "\u2212")


def probability(value: float) -> str:
    """A p value to three digits; a small one is never 0."""
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def money(value: float | None) -> str:
    """USD with as many digits as a small amount needs; `not known` for null."""
    if value is None:
        return "not known"
    if value == 0:
        return "$0"
    digits = max(2, 1 - math.floor(math.log10(abs(value)))) if abs(value) < 1 else 2
    return f"${value:,.{min(digits, 6)}f}"
