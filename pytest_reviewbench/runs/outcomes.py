"""A run folder read back as the numbers need it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_reviewbench.errors import RunError
from pytest_reviewbench.model import Matches, Review, RunManifest, Verdict, Verdicts
from pytest_reviewbench.runs.claims import standing, withdrawn
from pytest_reviewbench.runs.folder import RunFolder
from pytest_reviewbench.runs.panel import MAJORITY, majority_judging
from pytest_reviewbench.scoring.judged_shapes import is_chatter
from pytest_reviewbench.scoring.outcomes import Judging, Outcome, Place

NOTHING_KNOWN = Matches(case="unknown", lang="unknown", matcher_version=None, bugs=(), hits={}, evidence={})
NEVER_STARTED = "never started"
STILL_RUNNING = "still running"
ABANDONED = "started, but its process ended before it could be recorded"


def read_outcomes(
    run: RunFolder, manifest: RunManifest, verifier: str | None = None, *, with_tainted: bool = False
) -> Iterator[Outcome]:
    """Every selected case of the run in order: its record, else `crashed` or `not_run` with the reason.

    With the verdicts of `verifier` (None: of nobody; `MAJORITY`: of all together).
    `with_tainted`: a tainted review is one like others.
    """
    asked = run.verifiers() if verifier == MAJORITY else [verifier] if verifier is not None else []
    every = [run.verdicts(one) for one in asked]
    for case in manifest.cases:
        review = run.review(case)
        if review is not None:
            said = [judging(review, verdicts.get(case, ())) for verdicts in every]
            judged = majority_judging(said) if verifier == MAJORITY else said[0] if said else None
            yield _outcome(review, run.matches(case), judged, tainted=review.tainted and not with_tainted)
            continue
        found = standing(run, case)
        yield Outcome(
            case=case,
            rep=manifest.rep,
            status="crashed" if found == "abandoned" else "not_run",
            reason={"abandoned": ABANDONED, "running": STILL_RUNNING}.get(found)
            or withdrawn(run, case)
            or NEVER_STARTED,
        )


def judging(review: Review, records: Sequence[Verdicts]) -> Judging | None:
    """What `records` (one verifier's on this case, oldest first) amount to; None: there are none.

    The latest complete one counts: without an error and with a verdict on exactly the findings of the review.
    """
    if review.status != "ok" or not records:
        return None
    complete = [record for record in records if fits(review, record)]
    held = [(record, record.session) for record in records if record.session is not None]
    return Judging(
        verdicts=complete[-1].verdicts if complete else None,
        sessions=tuple(session for _, session in held),
        failed=sum(record.error is not None for record, _ in held),
        costs=tuple(None if r.cost_usd is None else r.cost_usd / r.shared_by for r, _ in held),
        own_model=any(_same_model(review.model, record.model) for record in complete[-1:]),
        partial={} if complete else _partial(review, records),
        reason=None if complete else records[-1].error.message if records[-1].error else "incomplete",
    )


def _partial(review: Review, records: Sequence[Verdicts]) -> dict[str, Verdict]:
    names = {f.id for f in review.findings}
    last = next((record for record in reversed(records) if record.error is None), None)
    return {name: v for name, v in last.verdicts.items() if name in names} if last is not None else {}


def fits(review: Review, record: Verdicts) -> bool:
    """Is `record` a complete set of verdicts on `review`?"""
    return record.error is None and record.verdicts.keys() == {f.id for f in review.findings}


def _same_model(one: str | None, other: str | None) -> bool:
    """By name; a date behind it is the same model."""
    if one is None or other is None:
        return False
    return one == other or one.startswith(f"{other}-2") or other.startswith(f"{one}-2")


def check_comparable(manifests: Sequence[tuple[str, RunManifest]]) -> None:
    """Refuse runs whose numbers must not stand in one table. Raises `RunError` that names the two runs and why.

    `manifests` are (run name, manifest). One arm may appear with several reps, never twice with the same.
    """
    check_same(manifests, ("kind", "corpus_sha256", "split"))
    seen: dict[tuple[str, int], str] = {}
    for name, manifest in manifests:
        twin = seen.setdefault((manifest.arm, manifest.rep), name)
        if twin != name:
            raise RunError(f"{twin} and {name} are both {manifest.arm} rep {manifest.rep}; name one of them")
    _check_arms(manifests)


def check_same(manifests: Sequence[tuple[str, RunManifest]], fields: Sequence[str]) -> None:
    """Refuse runs that differ in one of `fields`, or in the matcher of a case. Raises `RunError` that names two."""
    first_name, first = manifests[0]
    matchers: dict[str, tuple[str, int | str | None]] = {}
    for name, manifest in manifests:
        for what in fields:
            if getattr(manifest, what) != getattr(first, what):
                raise RunError(
                    f"{first_name} and {name} differ in {what} ({getattr(first, what)} and "
                    f"{getattr(manifest, what)}); report runs of one corpus, split and kind"
                )
        for case, version in manifest.matcher_versions.items():
            other, matcher = matchers.setdefault(case, (name, version))
            if matcher != version:
                raise RunError(
                    f"{other} and {name} differ in the matcher of case {case} "
                    f"({matcher} and {version}); run one of them again"
                )


def _check_arms(manifests: Sequence[tuple[str, RunManifest]]) -> None:
    by_arm: dict[str, tuple[str, RunManifest]] = {}
    for name, manifest in manifests:
        twin_name, twin = by_arm.setdefault(manifest.arm, (name, manifest))
        for what in ("scope", "settings"):
            if getattr(twin, what) != getattr(manifest, what):
                raise RunError(
                    f"{twin_name} and {name} are reps of {manifest.arm} with different {what}; report them apart"
                )


def _outcome(review: Review, matches: Matches | None, judged: Judging | None, *, tainted: bool) -> Outcome:
    known = matches or NOTHING_KNOWN
    counted = review.status == "ok"
    return Outcome(
        case=review.case,
        rep=review.rep,
        status=review.status,
        lang=known.lang if matches else None,
        bugs=known.bugs if matches else None,
        findings=tuple(f.id for f in review.findings) if counted else (),
        places={f.id: Place(f.file, f.line, f.end_line) for f in review.findings} if counted else {},
        hits=dict(known.hits) if counted else {},
        touches_fix={name: e.touches_fix for name, e in known.evidence.items()} if counted else {},
        gone_when_fixed={name: e.gone_when_fixed for name, e in known.evidence.items()} if counted else {},
        rerun_seconds=known.rerun_seconds,
        cost_usd=review.cost_usd,
        cost_source=review.cost_source,
        seconds=review.seconds,
        usage=review.usage,
        reason=review.error.message if review.error else None,
        skill_loaded=review.skill_loaded,
        tainted=tainted,
        refused=bool(review.refused),
        said=review.said_sha256,
        judging=judged,
        class_=known.class_,
        origin=known.origin,
        published=known.published,
        judged_only=known.judged_only,
        chatter=frozenset(f.id for f in review.findings if is_chatter(f.text)) if counted else frozenset(),
    )
