"""Gates on the numbers of a report."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pytest_reviewbench.bounds import Bound
from pytest_reviewbench.errors import SettingsError, did_you_mean
from pytest_reviewbench.report.document import GateRow, Report
from pytest_reviewbench.scoring.counts import count
from pytest_reviewbench.scoring.gates import judge_gates
from pytest_reviewbench.scoring.rates import JUDGED, STRICT, TWINS
from pytest_reviewbench.settings import Gate

COST_RATIO = "cost_ratio"
DIFFERENCES = (*STRICT, *JUDGED, *TWINS, COST_RATIO)
"""What a bound on a difference to a baseline may be on."""


def check_gates(gates: Sequence[Gate], arms: Collection[str]) -> None:
    """Raise `SettingsError` for a gate on an arm or a number that this session will not have."""
    names = list(count(()))
    for gate in gates:
        if gate.arm is not None and gate.arm not in arms:
            raise SettingsError(
                f"--reviewbench-{gate.text}: no arm {gate.arm!r} in this session; it has {', '.join(arms)}"
            )
        if gate.name not in names:
            hint = did_you_mean(gate.name, names)
            raise SettingsError(f"--reviewbench-{gate.text}: there is no number {gate.name!r}{hint}")


def check_bounds(bounds: Sequence[Bound], arms: Collection[str] | None = None) -> None:
    """Raise `SettingsError` for a bound on a difference that no comparison has, or on an arm that is not there."""
    for bound in bounds:
        if bound.name not in DIFFERENCES:
            hint = did_you_mean(bound.name, DIFFERENCES)
            raise SettingsError(f"{bound.text}: there is no difference of {bound.name!r}{hint}")
        if arms is not None and bound.arm is not None and bound.arm not in arms:
            raise SettingsError(f"{bound.text}: no arm {bound.arm!r} here; there are {', '.join(arms)}")


def with_gates(report: Report, gates: Sequence[Gate]) -> Report:
    """`report` with every gate judged on every arm it is for."""
    asked = [gate for gate in gates if gate.arm is None or gate.arm in report.arms]
    results = judge_gates(asked, {name: arm.numbers for name, arm in report.arms.items()})
    rows = tuple(GateRow(gate=r.gate, arm=r.arm, value=r.value, held=r.held, said=r.said) for r in results)
    unjudged = (gate for gate in gates if gate not in asked)  # its arm had nothing selected
    rows += tuple(
        GateRow(gate=g.text, arm=g.arm or "", value=None, held=False, said="not measured") for g in unjudged
    )
    return report.with_gates(rows)
