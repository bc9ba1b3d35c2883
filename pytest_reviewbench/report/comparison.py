"""Runs against a baseline, or against each other: only what may be compared, on the cases that all selected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_reviewbench.bounds import Bound
from pytest_reviewbench.errors import RunError
from pytest_reviewbench.model import TWIN, RunManifest
from pytest_reviewbench.report.document import Comparison, GateRow, Pair
from pytest_reviewbench.report.gates import COST_RATIO, check_bounds
from pytest_reviewbench.report.pairs import build_pairs, intervals_of
from pytest_reviewbench.runs.folder import RunFolder
from pytest_reviewbench.runs.outcomes import check_comparable, check_same, read_outcomes
from pytest_reviewbench.scoring.counts import count
from pytest_reviewbench.scoring.uncertainty import Clusters, measure


@dataclass(frozen=True, slots=True)
class _Group:
    """Runs that count as one: the reps of an arm."""

    label: str
    runs: Sequence[tuple[RunFolder, RunManifest]]
    cases: frozenset[str]


def compare_runs(
    runs: Sequence[RunFolder],
    baseline: Sequence[RunFolder],
    bounds: Sequence[Bound] = (),
    *,
    verifier: str | None = None,
    with_tainted: bool = False,
    intersect: bool = False,
    partial: bool = False,
    clusters: Clusters = "case",
) -> Comparison:
    """Every arm of `runs` minus `baseline` (none: every two arms), with intervals, tests and the `bounds` judged.

    `intersect` leaves cases out that not all of them selected; without it such runs are refused. Raises `RunError`
    for runs that must not be compared, by name: of other corpora, splits, kinds, scopes, matchers or verifiers, and
    unfinished ones unless `partial`; `SettingsError` for a bound on an arm that is not there.
    """
    groups, base = _grouped(runs, baseline)
    every = [*groups, *base]
    if len(every) < 2:
        raise RunError(
            f"{every[0].label}: alone there is nothing to compare it with; name a second run or --baseline"
        )
    _check(every, partial=partial)
    verifier = _verifier(every, verifier)
    common = _common(every, intersect=intersect)
    outcomes = {
        group.label: [
            o
            for run, manifest in group.runs
            for o in read_outcomes(run, manifest, verifier, with_tainted=with_tainted)
            if o.case in common
        ]
        for group in every
    }
    pairs = [(group.label, base[0].label) for group in groups] if base else None
    uncertainty = measure(outcomes, clusters=clusters, pairs=pairs)
    made = build_pairs(outcomes, uncertainty)
    manifest = every[0].runs[0][1]
    return Comparison(
        corpus_sha256=manifest.corpus_sha256,
        split=manifest.split,
        cases=len({case for case in common if not case.endswith(TWIN)}),
        left_out=len(frozenset[str]().union(*(group.cases for group in every)) - common),
        baseline=base[0].label if base else None,
        verifier=verifier,
        runs={group.label: tuple(run.name for run, _ in group.runs) for group in every},
        numbers={label: count(group) for label, group in outcomes.items()},
        intervals={label: intervals_of(found) for label, found in uncertainty.arms.items()},
        pairs=made,
        gates=tuple(_judged(bounds, made, [group.label for group in groups])),
    )


def _grouped(runs: Sequence[RunFolder], baseline: Sequence[RunFolder]) -> tuple[Sequence[_Group], Sequence[_Group]]:
    """The arms of `runs` and the baseline; one whose name another has as well goes by the name of its run."""
    held = {run.path.resolve() for run in baseline}
    if both := [run.name for run in runs if run.path.resolve() in held]:
        raise RunError(f"{both[0]}: is compared with itself; name another baseline")
    read = [(run, run.manifest()) for run in runs]
    reps = [(manifest.arm, manifest.rep) for _, manifest in read]
    twice = len(set(reps)) < len(reps)  # two states of an arm: each run stands for itself
    by_label: dict[str, list[tuple[RunFolder, RunManifest]]] = {}
    for run, manifest in read:
        by_label.setdefault(run.name if twice else manifest.arm, []).append((run, manifest))
    groups = [_group(label, held) for label, held in by_label.items()]
    old = [(run, run.manifest()) for run in baseline]
    arms = {manifest.arm for _, manifest in old}
    if len(arms) > 1:
        raise RunError(f"the baseline is of several arms ({', '.join(sorted(arms))}); name runs of one")
    if not old:
        return groups, []
    arm = old[0][1].arm
    return groups, [_group(arm if arm not in by_label else old[0][0].name, old)]


def _group(label: str, runs: Sequence[tuple[RunFolder, RunManifest]]) -> _Group:
    return _Group(label, runs, frozenset(case for _, manifest in runs for case in manifest.cases))


def _check(groups: Sequence[_Group], *, partial: bool) -> None:
    every = [(run, manifest) for group in groups for run, manifest in group.runs]
    for group in groups:
        check_comparable([(run.name, manifest) for run, manifest in group.runs])
    check_same([(run.name, manifest) for run, manifest in every], ("kind", "corpus_sha256", "split", "scope"))
    for run, _ in every:
        if not run.complete and not partial:
            raise RunError(f"{run.path}: not complete (no COMPLETE file); finish it, or add --partial")


def _verifier(groups: Sequence[_Group], asked: str | None) -> str | None:
    """Whose verdicts count: one that all have that have any. Raises `RunError`."""
    by_group = {
        group.label: frozenset(name for run, _ in group.runs for name in run.verifiers()) for group in groups
    }
    judged = {label: names for label, names in by_group.items() if names}
    if asked is not None:
        for label, names in by_group.items():
            if asked not in names:
                raise RunError(
                    f"{label} has no verdicts of {asked}; it has those of {', '.join(sorted(names)) or 'nobody'}"
                )
        return asked
    if not judged:
        return None
    shared = frozenset.intersection(*judged.values())
    if not shared:
        said = "; ".join(f"{label} by {', '.join(sorted(names))}" for label, names in judged.items())
        raise RunError(
            f"no verifier has judged all of these runs ({said}): their verified numbers are not comparable"
        )
    if len(shared) > 1:
        raise RunError(
            f"several verifiers have judged these runs; say whose verdicts count: --verifier {min(shared)}"
        )
    return min(shared)


def _common(groups: Sequence[_Group], *, intersect: bool) -> frozenset[str]:
    """The cases that are compared. Raises `RunError`."""
    common = frozenset.intersection(*(group.cases for group in groups))
    for group in groups:
        if group.cases != groups[0].cases and not intersect:
            raise RunError(
                f"{groups[0].label} and {group.label} have other cases ({len(groups[0].cases)} and "
                f"{len(group.cases)}, {len(groups[0].cases & group.cases)} in common); --intersect compares those"
            )
    if not common:
        raise RunError("these runs have no case in common")
    return common


def _judged(bounds: Sequence[Bound], pairs: Sequence[Pair], arms: Sequence[str]) -> list[GateRow]:
    check_bounds(bounds, arms)
    rows = []
    for bound in bounds:
        rows += [_row(bound, pair) for pair in pairs if bound.arm in (None, pair.a)]
    return rows


def _row(bound: Bound, pair: Pair) -> GateRow:
    """A difference that was not measured holds no bound."""
    if bound.name == COST_RATIO:
        value, ends = pair.cost_ratio, None
    else:
        difference = pair.numbers.get(bound.name)
        value = difference.value if difference else None
        interval = difference.interval if difference else None
        ends = (interval.low, interval.high) if interval else None
    if value is None or (bound.certain and ends is None):
        return GateRow(gate=bound.text, arm=pair.a, value=value, held=False, said="not measured")
    looked_at = value if not bound.certain or ends is None else ends[1] if bound.side == "<" else ends[0]
    beyond = looked_at < bound.bound if bound.side == "<" else looked_at > bound.bound
    said = f"{value:+.4g}" + (f" ({ends[0]:+.4g} to {ends[1]:+.4g})" if ends else "")
    return GateRow(gate=bound.text, arm=pair.a, value=value, held=not beyond, said=said)
