"""Gates: does a number hold a bound that the user set?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pytest_reviewbench.scoring.tally import Number
from pytest_reviewbench.settings import Gate


@dataclass(frozen=True, slots=True)
class GateResult:
    """One gate on one arm. A number that was not measured does not hold any bound."""

    gate: str
    arm: str
    value: Number
    held: bool
    said: str


def judge_gates(gates: Iterable[Gate], numbers: Mapping[str, Mapping[str, Number]]) -> list[GateResult]:
    """Every gate on every arm it is for; `numbers` maps arms to their numbers by name.

    Raises `KeyError` for an arm or a name that does not exist: options are checked before anything runs.
    """
    results = []
    for gate in gates:
        for arm in [gate.arm] if gate.arm else sorted(numbers):
            value = numbers[arm][gate.name]
            if value is None:
                held, said = False, "not measured"
            else:
                held = value >= gate.bound if gate.side == "under" else value <= gate.bound
                said = f"{value:.4g}"
            results.append(GateResult(gate=gate.text, arm=arm, value=value, held=held, said=said))
    return results
