"""One review as the numbers see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from pytest_reviewbench.model import TWIN, BugFact, CostSource, Status, Usage, Verdict

NEAR = 3
"""Findings of one file within so many lines may speak of one place."""


class Place(NamedTuple):
    """Where a finding is; null line: the whole file."""

    file: str | None
    line: int | None
    end_line: int | None


@dataclass(frozen=True, slots=True)
class Judging:
    """What a verifier made of one review.

    `verdicts` has one for every finding; None: there is no complete set. `sessions` names those that served this
    review (one may serve others as well), `failed` of them without a result; `costs` is this review's share of
    each, null where it is not known. `own_model`: the verifier and the reviewer were the same model.
    `partial`: verdicts on some findings, where there is no complete set.
    """

    verdicts: Mapping[str, Verdict] | None
    sessions: tuple[str, ...] = ()
    failed: int = 0
    costs: tuple[float | None, ...] = ()
    own_model: bool = False
    partial: Mapping[str, Verdict] = field(default_factory=dict)
    reason: str | None = None


@dataclass(frozen=True)  # without slots: what many numbers ask of it is kept
class Outcome:
    """A (case, arm, rep) with everything that any number needs, and no word of the truth.

    `bugs` is None when they are not known here (the review never ran). `places` says where the findings are,
    `hits` maps finding ids to bug ids; `touches_fix` and `gone_when_fixed` map finding ids to what the evidence
    says, null where it could not be determined; `rerun_seconds` went into the latter. `tainted`: it looked
    beyond its task; `refused`: it tried to. `said` is the same for the same answer. `origin` is what its case
    shares with others of the same package; `judged_only`: nobody but a verifier can say which findings name a
    bug of this case. `chatter` are the findings that only call for a reviewer.
    """

    case: str
    rep: int
    status: Status
    lang: str | None = None
    bugs: tuple[BugFact, ...] | None = None
    findings: tuple[str, ...] = ()
    places: Mapping[str, Place] = field(default_factory=dict)
    hits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    touches_fix: Mapping[str, bool | None] = field(default_factory=dict)
    gone_when_fixed: Mapping[str, bool | None] = field(default_factory=dict)
    rerun_seconds: float | None = None
    cost_usd: float | None = None
    cost_source: CostSource = "none"
    seconds: float | None = None
    usage: Usage | None = None
    reason: str | None = None
    skill_loaded: bool | None = None
    tainted: bool = False
    refused: bool = False
    said: str | None = None
    judging: Judging | None = None
    class_: str | None = None
    origin: str | None = None
    published: str | None = None
    judged_only: bool = False
    chatter: frozenset[str] = frozenset()

    @property
    def used(self) -> bool:
        """Only a parsed answer that is nobody else's can be a hit, a miss or a false alarm."""
        return self.status == "ok" and not self.tainted

    @property
    def judged(self) -> bool:
        """Used, with a verdict on every finding."""
        return self.used and self.judging is not None and self.judging.verdicts is not None

    @property
    def verdicts(self) -> Mapping[str, Verdict]:
        return (self.judging.verdicts if self.judging else None) or {}

    @cached_property
    def named_bugs(self) -> frozenset[str]:
        """Bugs of the case that a verdict `gt_same` names."""
        named = {bug for v in self.verdicts.values() if v.verdict == "gt_same" for bug in v.bugs}
        return frozenset(named & {bug.id for bug in self.bugs or ()})

    @cached_property
    def hit_bugs(self) -> frozenset[str]:
        return frozenset(bug for bugs in self.hits.values() for bug in bugs)

    @property
    def is_twin(self) -> bool:
        """A case without its bug: in no number but those of `scoring.twins`."""
        return self.case.endswith(TWIN)

    @property
    def clean(self) -> bool:
        return self.bugs == ()
