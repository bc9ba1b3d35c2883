"""Gates: a bound holds or it does not, and what was not measured holds none."""

from __future__ import annotations

from typing import Literal

import pytest

from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.report.gates import check_gates
from pytest_reviewbench.scoring.gates import judge_gates
from pytest_reviewbench.scoring.tally import Number
from pytest_reviewbench.settings import Gate

NUMBERS: dict[str, dict[str, Number]] = {
    "one": {"recall_strict": 0.5, "duplicates": 0},
    "two": {"recall_strict": None, "duplicates": 3},
}


def gate(side: Literal["under", "over"], bound: float, name: str = "recall_strict", arm: str | None = None) -> Gate:
    return Gate(side=side, arm=arm, name=name, bound=bound, text=f"fail-{side} {name}={bound:g}")


@pytest.mark.parametrize(
    ("side", "bound", "held"),
    [
        ("under", 0.4, True),
        ("under", 0.5, True),
        ("under", 0.51, False),
        ("over", 0.6, True),
        ("over", 0.5, True),
        ("over", 0.49, False),
    ],
)
def test_the_bound_itself_holds(side: Literal["under", "over"], bound: float, held: bool) -> None:
    (result,) = judge_gates([gate(side, bound, arm="one")], NUMBERS)
    assert (result.held, result.value, result.said) == (held, 0.5, "0.5")


@pytest.mark.parametrize("side", ["under", "over"])
@pytest.mark.parametrize("bound", [-1e9, 0.0, 1e9])
def test_a_number_that_was_not_measured_holds_no_bound(side: Literal["under", "over"], bound: float) -> None:
    (result,) = judge_gates([gate(side, bound, arm="two")], NUMBERS)
    assert (result.held, result.value, result.said) == (False, None, "not measured")


def test_a_gate_without_an_arm_is_for_every_arm() -> None:
    results = judge_gates([gate("over", 1, "duplicates")], NUMBERS)
    assert [(r.arm, r.held) for r in results] == [("one", True), ("two", False)]


def test_zero_is_a_measured_number() -> None:
    (result,) = judge_gates([gate("over", 0, "duplicates", "one")], NUMBERS)
    assert (result.held, result.said) == (True, "0")


def test_an_unknown_name_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(SettingsError, match=r"no number 'recal_strict'; did you mean 'recall_strict'\?"):
        check_gates([gate("under", 0.1, "recal_strict")], ["one"])


def test_a_gate_on_an_arm_that_is_not_in_the_session_is_refused() -> None:
    with pytest.raises(SettingsError, match="no arm 'three' in this session; it has one, two"):
        check_gates([gate("under", 0.1, arm="three")], ["one", "two"])


@pytest.mark.parametrize(
    "name", ["recall_strict", "precision_verified", "false_alarms_clean_all", "error", "cost_usd"]
)
def test_every_kind_of_number_can_be_bounded(name: str) -> None:
    check_gates([gate("under", 0.1, name)], ["one"])
