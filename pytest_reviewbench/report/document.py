"""The report as data: `report.json`, and what every rendering is made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from pytest_reviewbench.model import CaseId, Count, Kind, Record, ReviewedId, Scope, Sha256, Status
from pytest_reviewbench.report.corrections import Correction
from pytest_reviewbench.report.panel_document import Panel
from pytest_reviewbench.report.suspects import Suspect

Number = float | int | None


class Interval(Record, frozen=True, kw_only=True):
    """Ends of a 95 % interval of a number, in the number's own unit."""

    low: float
    high: float
    method: Literal["bootstrap", "wilson", "score"] = "bootstrap"


class Difference(Record, frozen=True, kw_only=True):
    """Number of arm `a` minus the same number of arm `b`, on the cases that both finished; null: not measured.

    `score_interval` is the better one for few cases.
    """

    value: float | None
    interval: Interval | None = None
    score_interval: Interval | None = None


class Pair(Record, frozen=True, kw_only=True):
    """Two arms, or runs, on the `cases` that both finished.

    `numbers` has the differences a - b of the rates by name. Of the cases with bugs, `both`, `only_a`, `only_b`
    and `neither` count those of which all bugs were hit (in more than half of the
    reps); `p` is the exact McNemar test of `only_a` against
    `only_b`, `p_holm` the same corrected for all pairs of this report. `cost_ratio` is the median over
    `cost_cases` of a's cost by b's on a case, `cost_ratio_of_medians` the ratio of the medians; null where no cost
    is known. `needed_cases`: so many would show a difference of 5 points of recall. `said` is it in a sentence.
    """

    a: str
    b: str
    cases: Count
    numbers: Mapping[str, Difference]
    both: Count
    only_a: Count
    only_b: Count
    neither: Count
    p: float | None
    p_holm: float | None
    cost_ratio: float | None
    cost_ratio_of_medians: float | None
    cost_cases: Count
    needed_cases: Count | None
    said: str


class Resampling(Record, frozen=True, kw_only=True):
    """How the intervals were made: percentile bootstrap over cases, or over clusters of cases of one origin."""

    resamples: Count = 10_000
    seed: Count = 1
    level: float = 0.95
    clusters: Literal["case", "origin"] = "case"


class RunRef(Record, frozen=True, kw_only=True):
    """A run that the report is made of. `uncontained` says why its reviewers saw the whole machine."""

    name: str
    arm: CaseId
    rep: int
    complete: bool
    cases: Count
    scope: Scope | None
    sandbox: str
    uncontained: str | None = None


class CaseRow(Record, frozen=True, kw_only=True):
    """One review. `bugs` and `bugs_hit` are null where the review never ran; `bugs` 0 is a clean control.

    `tainted`: it looked beyond its task, and is in no number.
    """

    case: ReviewedId
    rep: int
    status: Status
    lang: str | None
    bugs: Count | None
    bugs_hit: Count | None
    findings: Count | None
    findings_matched: Count | None
    touches_fix: Count | None
    gone_when_fixed: Count | None = None
    tainted: bool = False
    cost_usd: float | None
    seconds: float | None
    reason: str | None


class ArmReport(Record, frozen=True, kw_only=True):
    """The numbers of one arm; their definitions stand in docs/numbers.md. `twins`: the reviews of fixed twins.

    `intervals` are those of the numbers that have one, by name, `score_intervals` the better ones for few cases.
    """

    numbers: Mapping[str, Number]
    intervals: Mapping[str, Interval] = msgspec.field(default_factory=dict)
    score_intervals: Mapping[str, Interval] = msgspec.field(default_factory=dict)
    cost_sources: Mapping[str, Count]
    by_language: Mapping[str, Mapping[str, Number]]
    by_severity: Mapping[str, Mapping[str, Number]]
    by_rep: Mapping[str, Mapping[str, Number]]
    by_class: Mapping[str, Mapping[str, Number]] = msgspec.field(default_factory=dict)
    by_date: Mapping[str, Mapping[str, Number]] = msgspec.field(default_factory=dict)
    by_verifier: Mapping[str, Mapping[str, Number]] = msgspec.field(default_factory=dict)
    cases: tuple[CaseRow, ...]
    twins: tuple[CaseRow, ...] = ()


class SameAnswer(Record, frozen=True, kw_only=True):
    """Arms whose sessions gave the very same answer, to the letter, with findings, to a case."""

    case: ReviewedId
    arms: tuple[CaseId, ...]


class GateRow(Record, frozen=True, kw_only=True):
    """A bound the user set, on one arm."""

    gate: str
    arm: str
    value: Number
    held: bool
    said: str


class Comparison(Record, frozen=True, kw_only=True):
    """Arms against a `baseline`, or (null) against each other, on `cases` that all selected.

    `left_out` cases were not selected by all. `runs` says which runs stand behind a label: the arm, or the name of
    a run where two states of one arm are compared. `pairs` are arm - baseline; `gates` bounds on these differences.
    """

    schema: Literal[1] = 1
    corpus_sha256: Sha256
    split: str
    cases: Count
    left_out: Count
    baseline: str | None
    verifier: str | None
    runs: Mapping[str, tuple[str, ...]]
    numbers: Mapping[str, Mapping[str, Number]]
    intervals: Mapping[str, Mapping[str, Interval]]
    pairs: tuple[Pair, ...]
    gates: tuple[GateRow, ...] = ()


class Report(Record, frozen=True, kw_only=True):
    """`report.json`. `partial`: a run is unfinished, and `missing` names its reviews without a record.

    `panel` is how far the verifiers agree (null with fewer than two), `suspects`
    are labels to look at.

    `verifier` is whose verdicts the numbers count (null: nobody's), `verifiers` all that left any in these runs;
    `own_model` names the arms that were judged by the model that they are, `unjudged` why reviews have no
    verdicts. `same_answers` names arms that gave the very same answer to a case. `tainted_counted`: tainted reviews
    are in the numbers, because that was asked for. `pairs` holds every two arms once, `frontier` the arms that no
    other beats in both recall and cost of a review, the cheapest first. `leaderboard` has a row per arm as public
    leaderboards count.
    """

    schema: Literal[1] = 1
    kind: Kind
    corpus_sha256: Sha256
    split: str
    absent: Count
    partial: bool
    missing: tuple[str, ...]
    verified: bool = False
    verifier: str | None = None
    verifiers: tuple[str, ...] = ()
    panel: Panel | None = None
    suspects: tuple[Suspect, ...] = ()
    corrected: tuple[Correction, ...] = ()
    own_model: tuple[CaseId, ...] = ()
    unjudged: tuple[str, ...] = ()
    same_answers: tuple[SameAnswer, ...] = ()
    tainted_counted: bool = False
    runs: tuple[RunRef, ...]
    arms: Mapping[str, ArmReport]
    pairs: tuple[Pair, ...] = ()
    frontier: tuple[CaseId, ...] = ()
    resampling: Resampling = msgspec.field(default_factory=Resampling)
    comparison: Comparison | None = None
    original: tuple[Mapping[str, str | float | int | None], ...]
    leaderboard: tuple[Mapping[str, str | float | int | None], ...] = ()
    gates: tuple[GateRow, ...] = ()

    def with_gates(self, gates: tuple[GateRow, ...]) -> Report:
        return msgspec.structs.replace(self, gates=gates)
