"""Labels of a corpus that what reviewers found speaks against: to be looked at, never a number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_reviewbench.model import TWIN
from pytest_reviewbench.scoring.outcomes import NEAR, Outcome, Place

SuspectKind = Literal["clean", "twin", "never_found", "overreach", "miss"]

ARMS = 2
"""So many arms must share a finding on a clean change."""

TRIED = 4
"""So many arms must have tried a bug that none of them finds."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Why a case, or one `bug` of it, is suspect; `findings` by id where it rests on some."""

    kind: SuspectKind
    case: str
    bug: str | None
    arms: tuple[str, ...]
    findings: tuple[str, ...] = ()


def suspicions(arms: Mapping[str, Sequence[Outcome]]) -> list[Suspicion]:
    """What to look at, sorted.

    `clean`: findings that two arms or more share (one file, lines within 3) on a clean control, one of them
    judged `real`. `twin`: the same on a twin, without a verdict (nobody judges twins). `never_found`: four
    arms or more have a used review of the bug, and none has a hit or a verdict that names it. `overreach`: the
    regex ties a finding to the bug that is judged `real` or `not_a_bug`. `miss`: a finding is judged to be the
    bug and the regex does not say so. The last two are per bug, over all arms.
    """
    used = {arm: [o for o in outcomes if o.used] for arm, outcomes in sorted(arms.items())}
    found = [*_shared(used), *_never_found(used), *_regexes(used)]
    return sorted(found, key=lambda one: (one.kind, one.case, one.bug or "", one.findings))


def near(one: Place, other: Place) -> bool:
    """May two findings speak of one place? One without a file or line is near nothing."""
    if one.file is None or one.file != other.file or one.line is None or other.line is None:
        return False
    ends = max(one.line, one.end_line or one.line), max(other.line, other.end_line or other.line)
    return one.line - NEAR <= ends[1] and other.line <= ends[0] + NEAR


@dataclass(frozen=True, slots=True)
class _Said:
    arm: str
    finding: str
    place: Place
    real: bool


def _shared(arms: Mapping[str, Sequence[Outcome]]) -> Iterator[Suspicion]:
    by_case: dict[str, list[_Said]] = {}
    for arm, outcomes in arms.items():
        for o in outcomes:
            if o.clean or o.is_twin:
                for name in o.findings:
                    verdict = o.verdicts.get(name)
                    real = verdict is not None and verdict.verdict == "real"
                    place = o.places.get(name, Place(None, None, None))
                    by_case.setdefault(o.case, []).append(_Said(arm, name, place, real))
    for case, said in by_case.items():
        twin = case.endswith(TWIN)
        seen: set[tuple[str, ...]] = set()
        for one in said:
            group = [other for other in said if other is one or near(one.place, other.place)]
            sharing = tuple(sorted({other.arm for other in group}))
            names = tuple(sorted({other.finding for other in group}))
            if len(sharing) >= ARMS and (twin or any(other.real for other in group)) and names not in seen:
                seen.add(names)
                yield Suspicion("twin" if twin else "clean", case, None, sharing, names)


def _never_found(arms: Mapping[str, Sequence[Outcome]]) -> Iterator[Suspicion]:
    tried: dict[tuple[str, str], set[str]] = {}
    found: set[tuple[str, str]] = set()
    for arm, outcomes in arms.items():
        for o in outcomes:
            for bug in () if o.is_twin else o.bugs or ():
                if o.judged_only and not o.judged:
                    continue
                tried.setdefault((o.case, bug.id), set()).add(arm)
                if bug.id in o.hit_bugs | o.named_bugs:
                    found.add((o.case, bug.id))
    for (case, name), who in tried.items():
        if len(who) >= TRIED and (case, name) not in found:
            yield Suspicion("never_found", case, name, tuple(sorted(who)))


def _regexes(arms: Mapping[str, Sequence[Outcome]]) -> Iterator[Suspicion]:
    wrong: dict[tuple[SuspectKind, str, str], list[tuple[str, str]]] = {}
    for arm, outcomes in arms.items():
        for o in outcomes:
            if o.is_twin or not o.judged or o.judged_only:
                continue
            for name in o.findings:
                verdict, hits = o.verdicts[name], o.hits.get(name, ())
                if verdict.verdict in ("real", "not_a_bug"):
                    for bug in hits:
                        wrong.setdefault(("overreach", o.case, bug), []).append((arm, name))
                for bug in verdict.bugs:
                    if bug not in hits:
                        wrong.setdefault(("miss", o.case, bug), []).append((arm, name))
    for (kind, case, bug), said in wrong.items():
        names, who = {name for _, name in said}, {arm for arm, _ in said}
        yield Suspicion(kind, case, bug, tuple(sorted(who)), tuple(sorted(names)))
