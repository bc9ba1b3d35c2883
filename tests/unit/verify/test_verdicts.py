"""A judge's answer is exactly what was asked for, or none."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_reviewbench.model import Verdict
from pytest_reviewbench.verify.verdicts import ANSWER_LIMIT, BadVerdicts, read_verdicts

IDS = ("aaaaaaaaaaaa", "bbbbbbbbbbbb")
BUGS = ("b1", "b2")


def says(name: str, verdict: Any = "real", **keys: Any) -> dict[str, Any]:
    return {"id": name, "reason": "it does", "bugs": [], "verdict": verdict, **keys}


GOOD = [says(IDS[0], "gt_same", bugs=[2]), says(IDS[1], "not_a_bug")]


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps(GOOD),
        json.dumps(GOOD[::-1]),
        json.dumps({"verdicts": GOOD}),
        f"```json\n{json.dumps(GOOD, indent=1)}\n```",
        f"I looked at items[0] and [this].\n\n{json.dumps(GOOD)}\nThat is all [1].",
        f"{json.dumps(GOOD)}\nOnce more:\n{json.dumps(GOOD)}",
    ],
    ids=["bare", "any order", "in an object", "fence", "prose", "said twice"],
)
def test_one_verdict_for_each_finding(answer: str) -> None:
    assert read_verdicts(answer, IDS, BUGS) == {
        IDS[0]: Verdict(verdict="gt_same", bugs=("b2",), reason="it does"),
        IDS[1]: Verdict(verdict="not_a_bug", reason="it does"),
    }


def test_the_same_as_the_only_bug_needs_no_number() -> None:
    for bugs in ([], None, [1]):
        found = read_verdicts(json.dumps([says(IDS[0], "gt_same", bugs=bugs)]), IDS[:1], ("only",))
        assert found[IDS[0]].bugs == ("only",)


MALFORMED = {
    "prose": ("I think they are all real.", "no complete JSON array"),
    "empty": ("", "no complete JSON array"),
    "empty array": ("[]", "no complete JSON array"),
    "cut": (json.dumps(GOOD)[:-9], "no complete JSON array"),
    "a finding without a verdict": (json.dumps(GOOD[:1]), f"1 of 2 findings have no verdict, {IDS[1]}"),
    "numbers instead of ids (pub-047)": (
        json.dumps([says("1"), says("2")]),
        "element 1 has an id that no finding has",
    ),
    "an id too many": (json.dumps([*GOOD, says("c" * 12)]), "element 3 has an id that no finding has"),
    "no id": (json.dumps([{"verdict": "real", "reason": "x"}, *GOOD]), "element 1 has no id"),
    "id is a number": (json.dumps([{**says(""), "id": 1}]), "element 1 has no id"),
    "twice": (json.dumps([*GOOD, GOOD[1]]), f"finding {IDS[1]} has two verdicts"),
    "twice and different": (json.dumps([*GOOD, says(IDS[1])]), "two verdicts that contradict each other"),
    "two arrays": (
        f"{json.dumps(GOOD)} or {json.dumps([says(IDS[0]), says(IDS[1])])}",
        "2 arrays of verdicts that differ",
    ),
    "no verdict": (json.dumps([{"id": IDS[0], "reason": "x"}]), f"finding {IDS[0]} has no verdict"),
    "no reason": (json.dumps([says(IDS[0], reason=" ")]), f"finding {IDS[0]} has no reason"),
    "a key twice": (
        f'[{{"id": "{IDS[0]}", "reason": "x", "verdict": "real", "verdict": "not_a_bug"}}]',
        "a key twice",
    ),
    "same without a bug": (
        json.dumps([says(IDS[0], "gt_same")]),
        "gt_same without the number of a bug; there are 2",
    ),
    "same as bug 0": (json.dumps([says(IDS[0], "gt_same", bugs=[0])]), "names a bug that is not there"),
    "same as bug 3": (json.dumps([says(IDS[0], "gt_same", bugs=[1, 3])]), "names a bug that is not there"),
    "same as a word": (json.dumps([says(IDS[0], "gt_same", bugs=["1"])]), "bugs is not a list of numbers"),
    "same as true": (json.dumps([says(IDS[0], "gt_same", bugs=[True])]), "bugs is not a list of numbers"),
    "same as a number": (json.dumps([says(IDS[0], "gt_same", bugs=1)]), "bugs is not a list of numbers"),
    "same twice": (json.dumps([says(IDS[0], "gt_same", bugs=[1, 1])]), "names a bug twice"),
    "real and the same": (json.dumps([says(IDS[0], "real", bugs=[1])]), "contradicts itself"),
    "too deep": ("[" * 100_000, ""),
    "too long": (" " * (ANSWER_LIMIT + 1), "over 2,000,000 characters"),
}


@pytest.mark.parametrize(("answer", "why"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_answer_is_refused_with_the_reason(answer: str, why: str) -> None:
    with pytest.raises(BadVerdicts, match="cannot be used") as refused:
        read_verdicts(answer, IDS, BUGS)
    assert why in str(refused.value)
    assert refused.value.kind == "verdicts"


@pytest.mark.parametrize(
    "word",
    [
        "not real",
        "NOT_A_BUG",
        "unreal",
        "INCORRECT",
        "Real",
        "real ",
        "real.",
        "gt-same",
        "",
        1,
        True,
        ["real"],
        {},
    ],
)
def test_a_verdict_is_one_of_four_words_exactly(word: Any) -> None:
    with pytest.raises(BadVerdicts, match="none of gt_same, real, not_a_bug, unverifiable"):
        read_verdicts(json.dumps([says(IDS[0], word)]), IDS[:1], BUGS)


def test_on_a_clean_control_nothing_can_be_the_same() -> None:
    for bugs in ([], [1]):
        with pytest.raises(BadVerdicts):
            read_verdicts(json.dumps([says(IDS[0], "gt_same", bugs=bugs)]), IDS[:1], ())


def test_a_refusal_quotes_nothing_of_the_answer() -> None:
    for entry in (says("off-by-one"), says(IDS[0], "the off-by-one"), says(IDS[0], "real", bugs=["off-by-one"])):
        with pytest.raises(BadVerdicts) as refused:
            read_verdicts(json.dumps([entry]), IDS[:1], BUGS)
        assert "off-by" not in str(refused.value)


def test_a_reason_is_kept_without_secrets() -> None:
    key = "sk-ant-api03-" + "aB3dE6gH9jK2mN5pQ8sT" * 4
    (verdict,) = read_verdicts(json.dumps([says(IDS[0], reason=f"it sends {key}")]), IDS[:1], BUGS).values()
    assert verdict.reason == "it sends [redacted]"


@given(st.text(alphabet='[]{}",:idverctbugsa01 \\\n', max_size=200))
def test_whatever_is_answered_it_is_refused_or_complete(answer: str) -> None:
    with contextlib.suppress(BadVerdicts):
        assert read_verdicts(answer, ("a",), ("b",)).keys() == {"a"}


@given(
    st.lists(st.sampled_from(IDS), max_size=4), st.sampled_from(["gt_same", "real", "not_a_bug", "unverifiable"])
)
def test_no_verdict_is_made_up(names: list[str], word: str) -> None:
    answer = json.dumps([says(name, word, bugs=[1] if word == "gt_same" else []) for name in names])
    try:
        found = read_verdicts(answer, IDS, BUGS)
    except BadVerdicts:
        assert sorted(names) != sorted(IDS)
    else:
        assert sorted(names) == sorted(IDS)
        assert {verdict.verdict for verdict in found.values()} == {word}
