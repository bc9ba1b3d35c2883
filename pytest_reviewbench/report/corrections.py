"""Shares of findings as a judge has them, beside what a person's labels say of that judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from pytest_reviewbench.model import CaseId, Count, Record, VerdictWord
from pytest_reviewbench.report.panel import is_true, words_of
from pytest_reviewbench.scoring.outcomes import Outcome

HUMAN = "human-"


class Correction(Record, frozen=True, kw_only=True):
    """The share of an arm's judged findings that are `of` this kind: `raw`, and corrected for how often the `judge`
    agrees with the `human` on the `positive` and `negative` findings that both labelled."""

    arm: CaseId
    judge: CaseId
    human: CaseId
    of: Literal["true", "gt_same"]
    raw: float | None
    value: float | None
    low: float | None
    high: float | None
    sensitivity: float | None
    specificity: float | None
    positive: Count
    negative: Count


KINDS: Mapping[Literal["true", "gt_same"], Callable[[VerdictWord], bool]] = {
    "true": is_true,
    "gt_same": lambda word: word == "gt_same",
}


def build_corrections(by_verifier: Mapping[str, Mapping[str, Sequence[Outcome]]]) -> tuple[Correction, ...]:
    """A row for every arm, judge, person and kind where both labelled a finding."""
    from pytest_reviewbench.scoring.correction import corrected  # numpy: only for a report that has labels

    words = words_of(by_verifier).values()
    humans = sorted(name for name in by_verifier if name.startswith(HUMAN))
    found = []
    for judge in sorted(by_verifier.keys() - set(humans)):
        for human in humans:
            both = [(said[judge], said[human]) for said in words if judge in said and human in said]
            for arm, outcomes in sorted(by_verifier[judge].items()) if both else ():
                judged = [o.verdicts[f].verdict for o in outcomes if o.judged and not o.is_twin for f in o.findings]
                for kind, holds in KINDS.items():
                    made = corrected([*map(holds, judged)], [(holds(one), holds(other)) for one, other in both])
                    found.append(
                        Correction(
                            arm=arm,
                            judge=judge,
                            human=human,
                            of=kind,
                            raw=made.raw,
                            value=made.value,
                            low=made.ends.low if made.ends else None,
                            high=made.ends.high if made.ends else None,
                            sensitivity=made.sensitivity,
                            specificity=made.specificity,
                            positive=made.positive,
                            negative=made.negative,
                        )
                    )
    return tuple(found)
