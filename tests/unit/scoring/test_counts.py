"""The numbers of an arm from its outcomes (docs/numbers.md)."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_reviewbench.model import STATUSES, BugFact, CostSource, Severity, Status, Usage
from pytest_reviewbench.scoring.counts import by_language, by_rep, by_severity, count
from pytest_reviewbench.scoring.original import original_row
from pytest_reviewbench.scoring.outcomes import Outcome
from pytest_reviewbench.scoring.spending import cost_sources

A, B = BugFact(id="A", severity="high"), BugFact(id="B", severity=None)


def ok(
    case: str = "c",
    rep: int = 1,
    bugs: tuple[BugFact, ...] = (A,),
    hits: Mapping[str, tuple[str, ...]] | None = None,
    beyond: int = 0,
    touches: Mapping[str, bool | None] | None = None,
) -> Outcome:
    """A used review whose findings are those that hit and `beyond` others."""
    hits = hits or {}
    return Outcome(
        case=case,
        rep=rep,
        status="ok",
        lang="python",
        bugs=bugs,
        findings=(*hits, *(f"beyond-{n}" for n in range(beyond))),
        hits=hits,
        touches_fix=touches or {},
    )


def ended(status: Status, case: str = "c", rep: int = 1, bugs: tuple[BugFact, ...] | None = (A,)) -> Outcome:
    return Outcome(case=case, rep=rep, status=status, lang="python", bugs=bugs)


def test_nothing_selected_is_zero_counts_and_null_rates() -> None:
    numbers = count([])
    assert {name for name, value in numbers.items() if value not in (0, None)} == set()
    assert numbers["bugs"] == numbers["cases"] == 0
    assert numbers["recall_strict"] is None
    assert numbers["cost_usd"] is None
    assert numbers["seconds"] is None


@pytest.mark.parametrize("status", sorted(set(STATUSES) - {"ok"}))
def test_only_a_parsed_answer_can_be_a_miss(status: Status) -> None:
    numbers = count([ok("c1", hits={"f": ("A",)}), ended(status, "c2")])
    assert (numbers["bugs"], numbers["recall_strict"], numbers[status]) == (1, 1.0, 1)
    assert numbers["recall_strict_all"] == (0.5 if status == "unparsable" else 1.0)
    assert numbers["started"] == (1 if status in ("not_attempted", "not_run") else 2)


def test_findings_of_a_review_that_is_not_used_are_never_counted() -> None:
    salvaged = Outcome(
        case="c", rep=1, status="unparsable", lang="python", bugs=(A,), findings=("f",), hits={"f": ("A",)}
    )
    numbers = count([salvaged])
    assert (numbers["findings"], numbers["bugs_hit"], numbers["recall_strict"]) == (0, 0, None)
    assert (numbers["bugs_all"], numbers["recall_strict_all"], numbers["precision_strict_all"]) == (1, 0.0, None)


def test_no_finding_on_a_bug_is_recall_zero_and_precision_unknown() -> None:
    numbers = count([ok()])
    assert (numbers["recall_strict"], numbers["precision_strict"], numbers["precision_bugs"]) == (0.0, None, None)
    assert numbers["false_alarms_clean"] is None


def test_one_finding_on_two_bugs_counts_two_bugs_and_one_finding() -> None:
    numbers = count([ok(bugs=(A, B), hits={"f": ("A", "B")})])
    assert (numbers["recall_strict"], numbers["precision_strict"]) == (1.0, 1.0)
    assert (numbers["bugs_hit"], numbers["findings_matched"], numbers["duplicates"]) == (2, 1, 0)
    assert numbers["precision_bugs"] == 1.0


def test_duplicates_are_counted_apart_and_in_neither_count_of_the_deduplicated_rate() -> None:
    numbers = count([ok(hits={"f": ("A",), "g": ("A",), "h": ("A",)}, beyond=1)])
    assert (numbers["duplicates"], numbers["precision_strict"]) == (2, 0.75)
    assert numbers["precision_strict_deduplicated"] == 0.5  # 1 of (4 - 2)
    assert numbers["precision_bugs"] == 0.5  # 1 / (1 + 1)


def test_repetitions_are_averaged_within_a_case_before_cases_are_summed() -> None:
    """Case 1 was used once and hit, case 2 was used three times and never hit: half of the bugs, not a quarter."""
    outcomes = [ok("c1", 1, hits={"f": ("A",)}), ended("error", "c1", 2), ended("crashed", "c1", 3)]
    outcomes += [ok("c2", rep, beyond=rep) for rep in (1, 2, 3)]
    numbers = count(outcomes)
    assert (numbers["bugs"], numbers["bugs_hit"], numbers["recall_strict"]) == (2, 1, 0.5)
    assert numbers["findings"] == 3  # 1 + (1 + 2 + 3) / 3
    assert (numbers["cases"], numbers["used"]) == (2, 4)


def test_thirds_and_tenths_come_out_as_the_nearest_number() -> None:
    outcomes = [ok(f"c{n}", rep, hits={"f": ("A",)} if rep == 1 else {}) for n in range(10) for rep in (1, 2, 3)]
    numbers = count(outcomes)
    assert (numbers["recall_strict"], numbers["bugs_hit"]) == (1 / 3, 10 / 3)
    assert numbers["bugs"] == 10


def test_a_clean_control_with_a_finding_is_a_false_alarm_however_many_it_has() -> None:
    numbers = count([ok("c1", bugs=(), beyond=5), ok("c2", bugs=()), ok("c3", beyond=3)])
    assert (numbers["clean"], numbers["clean_with_findings"], numbers["false_alarms_clean"]) == (2, 1, 0.5)


def test_a_review_whose_bugs_are_not_known_is_no_clean_control() -> None:
    numbers = count([ended("not_run", bugs=None), ended("unparsable", "c2", bugs=None)])
    assert (numbers["clean"], numbers["clean_all"], numbers["bugs_all"]) == (0, 0, 0)


def test_evidence_is_counted_where_it_is_known_and_changes_no_rate() -> None:
    touches = {"f": True, "beyond-0": False, "beyond-1": None}
    bare = count([ok(hits={"f": ("A",)}, beyond=2)])
    numbers = count([ok(hits={"f": ("A",)}, beyond=2, touches=touches)])
    assert (numbers["touches_fix"], numbers["touches_fix_known"]) == (1, 2)
    assert (bare["touches_fix"], bare["touches_fix_known"]) == (None, 0)
    assert {k: v for k, v in numbers.items() if "touches" not in k} == {
        k: v for k, v in bare.items() if "touches" not in k
    }


def test_costs_are_summed_over_started_reviews_with_a_known_price() -> None:
    def paid(status: Status, case: str, cost: float | None, source: CostSource, usage: Usage | None) -> Outcome:
        return Outcome(case=case, rep=1, status=status, cost_usd=cost, cost_source=source, seconds=2.0, usage=usage)

    outcomes = [
        paid("ok", "c1", 0.1, "reported", Usage(input_tokens=10, output_tokens=5, turns=2)),
        paid("ok", "c2", 0.2, "priced", Usage(cache_read_tokens=99)),
        paid("error", "c3", 0.3, "reported", Usage(output_tokens=7)),
        paid("unparsable", "c4", None, "none", Usage(turns=1)),
        paid("not_attempted", "c5", 9.0, "reported", Usage(turns=9)),
    ]
    numbers = count(outcomes)
    assert (numbers["cost_usd"], numbers["cost_known"], numbers["started"]) == (0.6, 3, 4)
    assert numbers["cost_used_usd"] == 0.3
    assert (numbers["tokens"], numbers["tokens_known"]) == (22, 2)
    assert (numbers["turns"], numbers["turns_known"]) == (3, 2)
    assert (numbers["seconds"], numbers["seconds_mean"], numbers["seconds_known"]) == (8, 2, 4)
    assert cost_sources(outcomes) == {"none": 1, "priced": 1, "reported": 2}


def test_an_unknown_cost_is_null_and_a_free_review_is_zero() -> None:
    unknown, free = ok(), Outcome(case="c", rep=1, status="ok", bugs=(), cost_usd=0.0)
    assert count([unknown])["cost_usd"] is None
    assert count([free])["cost_usd"] == 0


def test_verified_numbers_are_null_without_verdicts() -> None:
    numbers = count([ok(hits={"f": ("A",)})])
    unverified = ("recall_adjudicated", "precision_verified", "matcher_misses", "matcher_overreach")
    assert [numbers[name] for name in unverified] == [None] * 4
    assert numbers["judged"] == 0


def test_a_bug_without_severity_stands_under_unknown_and_the_severest_come_first() -> None:
    critical = BugFact(id="C", severity="critical")
    table = by_severity([ok("c1", bugs=(A, B, critical), hits={"f": ("A", "B")}), ended("error", "c2")])
    assert list(table) == ["critical", "high", "unknown"]
    assert table["high"] == {"bugs": 1, "bugs_hit": 1, "recall_strict": 1.0}
    assert table["critical"] == {"bugs": 1, "bugs_hit": 0, "recall_strict": 0.0}


def test_languages_are_sorted_and_reviews_that_never_ran_are_of_unknown_language() -> None:
    outcomes = [
        Outcome(case=f"c{n}", rep=1, status="ok" if lang else "not_run", lang=lang, bugs=() if lang else None)
        for n, lang in enumerate(["shell", None, "python", "shell"])
    ]
    table = by_language(outcomes)
    assert list(table) == ["python", "shell", "unknown"]
    assert (table["shell"]["cases"], table["unknown"]["not_run"]) == (2, 1)


def test_repetitions_stand_in_the_order_of_their_numbers() -> None:
    assert list(by_rep([ok(rep=rep) for rep in (10, 2, 1)])) == ["1", "2", "10"]


def test_the_original_row_counts_used_reviews_and_calls_the_rest_errors() -> None:
    outcomes = [
        ok("c1", bugs=(A, B), hits={"f": ("A", "B"), "g": ("A",), "h": ("A",)}, beyond=1),
        ok("c2"),
        *(
            ended(status, f"c-{status}")
            for status in ("unparsable", "error", "crashed", "not_attempted", "not_run")
        ),
    ]
    row = original_row("x", outcomes)
    assert (row["cases"], row["errors"], row["bugs"], row["findings"]) == (2, 5, 3, 4)
    assert (row["recall_strict"], row["precision_strict"]) == (0.667, 0.75)
    assert (
        row["recall_adjudicated"] is row["precision_verified"] is row["cost_usd"] is row["verify_cost_usd"] is None
    )


def test_the_original_row_of_nothing_is_null_rates() -> None:
    row = original_row("x", [])
    assert (row["cases"], row["errors"], row["recall_strict"], row["precision_strict"]) == (0, 0, None, None)


BUGS = st.lists(st.sampled_from((*get_args(Severity), None)), max_size=3).map(
    lambda severities: tuple(BugFact(id=f"b{n}", severity=s) for n, s in enumerate(severities))
)


@st.composite
def arms(draw: st.DrawFn) -> list[Outcome]:
    """An arm over a few cases: the same bugs in every rep of a case, some findings without a hit."""
    outcomes: list[Outcome] = []
    for case in range(draw(st.integers(0, 5))):
        bugs = draw(BUGS)
        for rep in range(1, draw(st.integers(1, 3)) + 1):
            status = draw(st.sampled_from(STATUSES))
            names = [f"f{n}" for n in range(draw(st.integers(0, 4)))] if status == "ok" else []
            hits = {
                name: tuple(hit)
                for name in names
                if bugs
                and (hit := sorted(draw(st.sets(st.sampled_from([bug.id for bug in bugs]), max_size=len(bugs)))))
            }
            outcomes.append(
                Outcome(
                    case=f"c{case}",
                    rep=rep,
                    status=status,
                    lang=draw(st.sampled_from(["python", "shell"])) if rep == 1 else outcomes[-1].lang,
                    bugs=bugs,
                    findings=tuple(names),
                    hits=hits,
                    touches_fix={name: draw(st.sampled_from([True, False, None])) for name in names},
                    seconds=draw(st.one_of(st.none(), st.floats(0, 1e4))),
                    cost_usd=draw(st.one_of(st.none(), st.floats(0, 100))),
                )
            )
    return outcomes


def turned(outcomes: Collection[Outcome], chance: random.Random) -> list[Outcome]:
    """The same reviews in another order, each with its findings and hits in another order."""

    def shuffled(o: Outcome) -> Outcome:
        findings = list(o.findings)
        hits = list(o.hits.items())
        chance.shuffle(findings)
        chance.shuffle(hits)
        return Outcome(
            case=o.case,
            rep=o.rep,
            status=o.status,
            lang=o.lang,
            bugs=tuple(chance.sample(o.bugs or (), len(o.bugs or ()))),
            findings=tuple(findings),
            hits={name: tuple(chance.sample(bugs, len(bugs))) for name, bugs in hits},
            touches_fix=dict(reversed([*o.touches_fix.items()])),
            cost_usd=o.cost_usd,
            cost_source=o.cost_source,
            seconds=o.seconds,
        )

    result = [shuffled(o) for o in outcomes]
    chance.shuffle(result)
    return result


@given(arms(), st.integers())
def test_neither_the_order_of_reviews_nor_of_findings_moves_any_number(outcomes: list[Outcome], seed: int) -> None:
    other = turned(outcomes, random.Random(seed))
    assert count(other) == count(outcomes)
    for table in (by_language, by_rep, by_severity):
        assert table(other) == table(outcomes)
    assert cost_sources(other) == cost_sources(outcomes)
    assert original_row("x", other) == original_row("x", outcomes)


@given(arms())
def test_counts_add_up_and_rates_lie_between_zero_and_one(outcomes: list[Outcome]) -> None:
    numbers = {name: value for name, value in count(outcomes).items() if value is not None}
    assert sum(numbers[status] for status in STATUSES) == len(outcomes)
    for name, value in numbers.items():
        if name.startswith(("recall", "precision", "false_alarms")):
            assert 0 <= value <= 1, name
    assert numbers["findings_matched"] <= numbers["findings"]
    assert numbers["duplicates"] <= numbers["findings_matched"]
    assert numbers["bugs_hit"] <= numbers["bugs"] <= numbers["bugs_all"]
    severities = by_severity(outcomes).values()
    assert sum(row["bugs"] or 0 for row in severities) == pytest.approx(numbers["bugs"])
    assert sum(row["bugs_hit"] or 0 for row in severities) == pytest.approx(numbers["bugs_hit"])
    languages = by_language(outcomes).values()
    for name in ("cases", "started", "bugs", "bugs_hit", "findings", "findings_matched", "duplicates", "clean"):
        assert sum(row[name] or 0 for row in languages) == pytest.approx(numbers[name]), name


@given(arms())
def test_repeating_every_review_changes_counts_of_reviews_only(outcomes: list[Outcome]) -> None:
    again = [
        Outcome(
            case=o.case,
            rep=o.rep + 10,
            status=o.status,
            lang=o.lang,
            bugs=o.bugs,
            findings=o.findings,
            hits=o.hits,
            touches_fix=o.touches_fix,
        )
        for o in outcomes
    ]
    once, twice = count(outcomes), count([*outcomes, *again])
    reviews = {*STATUSES, "used", "started"}
    repeats = {"reps", "recall_pass_k", "recall_any_k", "recall_spread", "repeatability"}
    spent = {name for name in once if name.startswith(("seconds", "cost", "tokens", "turns"))}
    assert {k: v for k, v in twice.items() if k not in reviews | spent | repeats} == {
        k: v for k, v in once.items() if k not in reviews | spent | repeats
    }
    assert all(twice[name] == 2 * (once[name] or 0) for name in reviews)
