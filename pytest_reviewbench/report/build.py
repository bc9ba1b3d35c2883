"""Run folders -> Report. Reads only what runs store: no corpus is needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import msgspec

from pytest_reviewbench.errors import RunError
from pytest_reviewbench.model import TWIN
from pytest_reviewbench.report.corrections import build_corrections
from pytest_reviewbench.report.document import ArmReport, CaseRow, Report, Resampling, RunRef, SameAnswer
from pytest_reviewbench.report.pairs import build_pairs, intervals_of, score_intervals_of
from pytest_reviewbench.report.panel import build_panel
from pytest_reviewbench.report.suspects import build_suspects
from pytest_reviewbench.runs.folder import RunFolder
from pytest_reviewbench.runs.outcomes import check_comparable, read_outcomes
from pytest_reviewbench.runs.panel import MAJORITY
from pytest_reviewbench.scoring.counts import (
    by_class,
    by_date,
    by_language,
    by_rep,
    by_severity,
    count,
    count_judged,
)
from pytest_reviewbench.scoring.frontier import frontier
from pytest_reviewbench.scoring.leaderboard import leaderboard_row
from pytest_reviewbench.scoring.original import original_row
from pytest_reviewbench.scoring.outcomes import Outcome
from pytest_reviewbench.scoring.spending import cost_sources
from pytest_reviewbench.scoring.twins import apart
from pytest_reviewbench.scoring.uncertainty import Clusters, Measured, measure


def build_report(
    runs: Sequence[RunFolder],
    *,
    partial: bool = False,
    verifier: str | None = None,
    with_tainted: bool = False,
    clusters: Clusters = "case",
) -> Report:
    """One report over runs of one corpus, split and kind. `with_tainted`: tainted reviews count like others.

    `clusters` is what is resampled for the intervals.
    `verifier` is whose verdicts count (None: the only one's; of several the one that judged most, then by name;
    `majority`: all of them together).
    Raises `RunError` for runs that must not be put side by side, and for an unfinished one unless `partial`.
    """
    manifests = [(run.name, run.manifest()) for run in runs]
    check_comparable(manifests)
    found = sorted({name for run in runs for name in run.verifiers()})
    panel = [*found, *([MAJORITY] if len(found) > 1 else [])]
    if verifier is not None and verifier not in panel:
        raise RunError(
            f"these runs have no verdicts of {verifier}; they have those of {', '.join(panel) or 'nobody'}"
        )
    others: dict[str, dict[str, list[Outcome]]] = {name: {} for name in panel}
    for name in panel if len(found) > 1 else ():
        for run, (_, manifest) in zip(runs, manifests, strict=True):
            others[name].setdefault(manifest.arm, []).extend(
                read_outcomes(run, manifest, name, with_tainted=with_tainted)
            )
    verifier = verifier or max(
        found, key=lambda name: (_judged(others[name]), [-ord(c) for c in name]), default=None
    )
    refs, missing = [], []
    rows: list[tuple[str, list[Outcome]]] = []
    for run, (name, manifest) in zip(runs, manifests, strict=True):
        if not run.complete and not partial:
            raise RunError(f"{run.path}: not complete (no COMPLETE file); add --partial to report what is there")
        outcomes = list(read_outcomes(run, manifest, verifier, with_tainted=with_tainted))
        rows.append((manifest.arm, outcomes))
        if not run.complete:
            missing += [f"{name}: {o.case} ({o.status})" for o in outcomes if run.review(o.case) is None]
        refs.append(
            RunRef(
                name=name,
                arm=manifest.arm,
                rep=manifest.rep,
                complete=run.complete,
                cases=len(manifest.cases),
                scope=manifest.scope,
                sandbox=manifest.sandbox,
                uncontained=manifest.uncontained,
            )
        )
    rows = _with_languages(rows)
    first = manifests[0][1]
    outcomes_of = {
        arm: [o for name, outcomes in rows if name == arm for o in outcomes] for arm in sorted({a for a, _ in rows})
    }
    uncertainty = measure(outcomes_of, clusters=clusters)
    arms = {arm: arm_report(outcomes, uncertainty.arms[arm]) for arm, outcomes in outcomes_of.items()}
    if len(found) > 1:
        arms = {
            arm: msgspec.structs.replace(
                made, by_verifier={name: count_judged(others[name].get(arm, ())) for name in panel}
            )
            for arm, made in arms.items()
        }
    every = [(arm, o) for arm, outcomes in rows for o in outcomes]
    return Report(
        kind=first.kind,
        corpus_sha256=first.corpus_sha256,
        split=first.split,
        absent=first.absent,
        partial=any(not ref.complete for ref in refs),
        missing=tuple(missing),
        verified=any(o.judged for _, o in every),
        verifier=verifier,
        verifiers=tuple(found),
        corrected=build_corrections({name: others[name] for name in found}),
        suspects=build_suspects(outcomes_of),
        panel=build_panel({name: others[name] for name in found}),
        own_model=tuple(sorted({arm for arm, o in every if o.judging is not None and o.judging.own_model})),
        unjudged=tuple(
            sorted({f"{o.case}: {o.judging.reason}" for _, o in every if o.judging and o.judging.reason})
        ),
        same_answers=same_answers(every),
        tainted_counted=with_tainted,
        runs=tuple(refs),
        arms=arms,
        pairs=build_pairs(outcomes_of, uncertainty),
        frontier=tuple(_frontier(arms)),
        resampling=Resampling(clusters=clusters),
        original=tuple(original_row(arm, outcomes) for arm, outcomes in rows),
        leaderboard=tuple(leaderboard_row(arm, outcomes) for arm, outcomes in outcomes_of.items()),
    )


def _with_languages(rows: Sequence[tuple[str, Sequence[Outcome]]]) -> list[tuple[str, list[Outcome]]]:
    """`rows`, those that never ran with the language that others say of their case."""
    known = {_original(o): o.lang for _, outcomes in rows for o in outcomes if o.lang is not None}
    return [(arm, [replace(o, lang=o.lang or known.get(_original(o))) for o in outcomes]) for arm, outcomes in rows]


def _original(o: Outcome) -> str:
    return o.case.removesuffix(TWIN)


def _judged(arms: Mapping[str, Sequence[Outcome]]) -> int:
    return sum(o.judged for outcomes in arms.values() for o in outcomes)


def same_answers(every: Iterable[tuple[str, Outcome]]) -> tuple[SameAnswer, ...]:
    """Which arms gave the very same answer to a case. Two sessions do not find the same words by themselves."""
    said: dict[tuple[str, str], set[str]] = {}
    for arm, o in every:
        if o.said is not None:
            said.setdefault((o.case, o.said), set()).add(arm)
    return tuple(
        SameAnswer(case=case, arms=tuple(sorted(arms))) for (case, _), arms in sorted(said.items()) if len(arms) > 1
    )


def _frontier(arms: Mapping[str, ArmReport]) -> list[str]:
    """By strict recall, where there is any, else by the adjudicated one."""
    numbers = {name: arm.numbers for name, arm in arms.items()}
    strict = any(n["recall_strict"] is not None for n in numbers.values())
    quality = {name: n["recall_strict" if strict else "recall_adjudicated"] for name, n in numbers.items()}
    return frontier(quality, {name: n["cost_per_review_usd"] for name, n in numbers.items()})


def arm_report(outcomes: list[Outcome], measured: Mapping[str, Measured]) -> ArmReport:
    """All numbers of one arm over its outcomes, any reps, in any order."""
    cases, twins = apart(sorted(outcomes, key=lambda o: (o.case, o.rep)))
    whole = count(outcomes)
    return ArmReport(
        numbers=whole,
        intervals=intervals_of(measured),
        score_intervals=score_intervals_of(measured),
        cost_sources=cost_sources(outcomes),
        by_language=by_language(outcomes, whole),
        by_severity=by_severity(outcomes),
        by_rep=by_rep(outcomes, whole),
        by_class=by_class(outcomes, whole),
        by_date=by_date(outcomes, whole),
        cases=tuple(map(_case_row, cases)),
        twins=tuple(map(_case_row, twins)),
    )


def _case_row(o: Outcome) -> CaseRow:
    return CaseRow(
        case=o.case,
        rep=o.rep,
        status=o.status,
        lang=o.lang,
        bugs=None if o.bugs is None else len(o.bugs),
        bugs_hit=len(o.hit_bugs) if o.used else None,
        findings=len(o.findings) if o.used else None,
        findings_matched=len(o.hits) if o.used else None,
        touches_fix=_said(o.touches_fix),
        gone_when_fixed=_said(o.gone_when_fixed),
        tainted=o.tainted,
        cost_usd=o.cost_usd,
        seconds=o.seconds,
        reason=o.reason,
    )


def _said(evidence: Mapping[str, bool | None]) -> int | None:
    known = [one for one in evidence.values() if one is not None]
    return sum(known) if known else None
