"""Outcomes under several verifiers -> Panel."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

from pytest_reviewbench.model import Verdict, VerdictWord
from pytest_reviewbench.report.panel_document import Agreement, Disputed, Panel, VerifierPair
from pytest_reviewbench.scoring.agreement import (
    Ratings,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    raw_agreement,
    shared,
)
from pytest_reviewbench.scoring.outcomes import Outcome
from pytest_reviewbench.verify.prompt import judged_id

By = Mapping[str, Mapping[str, Iterable[Outcome]]]
"""verifier -> arm -> its outcomes with that verifier's verdicts."""


class Judged(NamedTuple):
    """A distinct finding of a case."""

    case: str
    finding: str


def words_of(by_verifier: By) -> dict[Judged, dict[str, VerdictWord]]:
    """What each verifier says of each distinct finding that it judged, in order.

    Where runs were judged apart and a verifier contradicts itself, the arm and rep that come first count.
    """
    found: dict[Judged, dict[str, VerdictWord]] = {}
    for verifier, arms in sorted(by_verifier.items()):
        for _, outcomes in sorted(arms.items()):
            for o in sorted(outcomes, key=lambda o: (o.case, o.rep)):
                for name, verdict in said_of(o).items():
                    here = found.setdefault(Judged(o.case, judged_id(name)), {})
                    here.setdefault(verifier, verdict.verdict)
    return dict(sorted(found.items()))


def said_of(o: Outcome) -> Mapping[str, Verdict]:
    """The verdicts on a used review, also where there is not yet one on every finding."""
    return {} if not o.used or o.judging is None else o.judging.verdicts or o.judging.partial


def build_panel(by_verifier: By) -> Panel | None:
    """What the verifiers make of the same findings; None with fewer than two of them."""
    if len(by_verifier) < 2:
        return None
    words = words_of(by_verifier)
    truth = {thing: {who: str(is_true(word)) for who, word in said.items()} for thing, said in words.items()}
    arms = _reporters(next(iter(by_verifier.values())))
    return Panel(
        verifiers=tuple(sorted(by_verifier)),
        words=_agreement(words),  # type: ignore[arg-type]  # words are strings, mappings are invariant
        truth=_agreement(truth),  # type: ignore[arg-type]
        pairs=tuple(_pair(words, a, b) for a, b in combinations(sorted(by_verifier), 2)),  # type: ignore[arg-type]
        disputed=tuple(
            Disputed(case=one.case, finding=one.finding, arms=tuple(sorted(arms.get(one, ()))), words=said)
            for one, said in words.items()
            if len(set(said.values())) > 1
        ),
    )


def is_true(word: VerdictWord) -> bool:
    """Is a finding with this verdict a true one?"""
    return word in ("gt_same", "real")


def _reporters(arms: Mapping[str, Iterable[Outcome]]) -> Mapping[Judged, Collection[str]]:
    found: dict[Judged, set[str]] = {}
    for arm, outcomes in arms.items():
        for o in outcomes:
            for name in o.findings:
                found.setdefault(Judged(o.case, judged_id(name)), set()).add(arm)
    return found


def _agreement(ratings: Ratings) -> Agreement:
    kappa, many = fleiss_kappa(ratings)
    return Agreement(
        findings=len(shared(ratings)),
        raw=raw_agreement(ratings),
        fleiss=kappa,
        fleiss_findings=many,
        alpha=krippendorff_alpha(ratings),
    )


def _pair(ratings: Ratings, a: str, b: str) -> VerifierPair:
    both = [said for said in ratings.values() if a in said and b in said]
    return VerifierPair(
        a=a,
        b=b,
        findings=len(both),
        agreed=sum(said[a] == said[b] for said in both),
        kappa=cohen_kappa(ratings, a, b),
    )
