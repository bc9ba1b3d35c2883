"""Intervals of arms and of their differences."""

from __future__ import annotations

import csv
import dataclasses
import json
import random
from collections.abc import Sequence

import pytest

from pytest_reviewbench.model import BugFact, Verdict
from pytest_reviewbench.scoring.outcomes import Judging, Outcome
from pytest_reviewbench.scoring.uncertainty import measure
from tests.shared import shared

A = BugFact(id="A")
ATOM = 1 / 30


def hit_or_miss(case: str, hit: bool, **fields: object) -> Outcome:
    return Outcome(
        case=case,
        rep=1,
        status="ok",
        bugs=(A,),
        findings=("f",) if hit else (),
        hits={"f": ("A",)} if hit else {},
        **fields,  # type: ignore[arg-type]
    )


def arm(hits: str, **fields: object) -> list[Outcome]:
    return [hit_or_miss(f"c{n:03}", mark == "1", **fields) for n, mark in enumerate(hits)]


def test_the_nine_published_intervals_of_perun_come_out_within_one_atom() -> None:
    folder = shared("public/perun")
    rows = [*csv.DictReader((folder / "xmodel2_reconstructed_cases.csv").read_text().splitlines())]
    published = json.loads((folder / "xmodel2_expected.json").read_text())["xmodel2"]["recall_diff"]
    checked = 0
    for model, pairs in published.items():
        arms = {
            name: [hit_or_miss(row["case"], row[name] == "1") for row in rows if row["model"] == model]
            for name in ("plain", "full", "compact")
        }
        names = [tuple(pair.split("-")) for pair in pairs]
        measured = measure(arms, pairs=[(a, b) for a, b in names])
        for pair, (value, low, high) in pairs.items():
            a, b = pair.split("-")
            found = measured.pairs[a, b]["recall_strict"]
            assert found.ends is not None
            assert found.value == pytest.approx(value, abs=0.0006)
            assert found.ends.low == pytest.approx(low, abs=ATOM + 0.0006)
            assert found.ends.high == pytest.approx(high, abs=ATOM + 0.0006)
            checked += 1
    assert checked == 9


def test_the_order_of_reviews_moves_no_end() -> None:
    arms = {"x": arm("1101000110"), "y": arm("0101010010")}
    shuffled = {name: random.Random(7).sample(rows, len(rows)) for name, rows in arms.items()}
    assert measure(arms) == measure(shuffled)


def test_arms_that_did_the_same_differ_by_nothing() -> None:
    found = measure({"x": arm("1100100"), "y": arm("1100100")}).pairs["x", "y"]["recall_strict"]
    assert (found.value, found.ends) == (0.0, (0.0, 0.0))


def test_a_difference_is_over_the_cases_that_both_finished() -> None:
    """y has an error on the three cases that x hits alone."""
    x = arm("1110101")
    y = [Outcome(case=o.case, rep=1, status="error", bugs=(A,)) for o in x[:3]] + arm("0000101")[3:]
    measured = measure({"x": x, "y": y})
    assert measured.pairs["x", "y"]["recall_strict"].value == 0
    assert measured.arms["x"]["recall_strict"].value == pytest.approx(5 / 7)
    assert measured.arms["y"]["recall_strict"].value == 0.5


def test_arms_without_a_common_case_have_no_difference() -> None:
    measured = measure({"x": arm("10"), "y": [hit_or_miss("other", True)]})
    assert measured.pairs["x", "y"] == {}


def test_a_pair_reversed_is_the_same_with_the_other_sign() -> None:
    arms = {"x": arm("110110100"), "y": arm("010010101")}
    there = measure(arms, pairs=[("x", "y")]).pairs["x", "y"]["recall_strict"]
    back = measure(arms, pairs=[("y", "x")]).pairs["y", "x"]["recall_strict"]
    assert there.ends is not None
    assert back.ends is not None
    assert there.value == -(back.value or 0)
    assert there.ends == pytest.approx((-back.ends.high, -back.ends.low))


def test_repetitions_make_no_case_count_twice() -> None:
    once = arm("110100")
    again = [dataclasses.replace(o, rep=rep) for o in once for rep in (1, 2, 3)]
    assert measure({"x": once}) == measure({"x": again})


def test_cases_of_one_package_that_go_together_make_the_interval_wider() -> None:
    """Four packages of five cases each; all of a package are hit or none."""
    rows = [hit_or_miss(f"c{n:02}", n // 5 % 2 == 0, origin=f"pypi:package-{n // 5}") for n in range(20)]
    by_case = measure({"x": rows}).arms["x"]["recall_strict"].ends
    by_origin = measure({"x": rows}, clusters="origin").arms["x"]["recall_strict"].ends
    assert by_case is not None
    assert by_origin is not None
    assert by_origin.high - by_origin.low > 1.5 * (by_case.high - by_case.low)


def test_alarms_on_clean_controls_are_yes_or_no_and_get_wilsons_interval() -> None:
    rows = [Outcome(case=f"c{n}", rep=1, status="ok", bugs=(), findings=("f",) * (n < 3)) for n in range(10)]
    found = measure({"x": rows}).arms["x"]["false_alarms_clean"]
    assert (found.value, found.method) == (0.3, "wilson")
    assert found.ends == pytest.approx((0.1077890, 0.6032219), abs=1e-5)
    both = [Outcome(case="c0", rep=2, status="ok", bugs=())]
    assert measure({"x": [*rows, *both]}).arms["x"]["false_alarms_clean"].method == "bootstrap"


def test_bugs_without_regexes_have_no_strict_intervals() -> None:
    named = Judging({"f": Verdict(verdict="gt_same", bugs=("A",), reason="r")})
    once = Outcome(case="c", rep=1, status="ok", bugs=(A,), findings=("f",), judged_only=True, judging=named)
    rows = [dataclasses.replace(once, case=f"c{n}") for n in range(4)]
    found = measure({"x": rows}).arms["x"]
    assert "recall_strict" not in found
    assert "f1_bugs" not in found
    assert found["recall_adjudicated"].value == 1


def test_nothing_used_has_no_interval() -> None:
    nothing: Sequence[Outcome] = [Outcome(case="c", rep=1, status="error", bugs=(A,))]
    measured = measure({"x": nothing, "y": []})
    assert measured.arms == {"x": {}, "y": {}}
    assert measured.pairs == {("x", "y"): {}}
