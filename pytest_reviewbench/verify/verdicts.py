"""A judge's answer -> verdicts. Strict: an answer that is not exactly what was asked for is no answer.

What is refused is a whole case: verdicts that have slipped by one look as good as right ones. No message quotes the
answer, for it speaks of the truth.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NoReturn, cast

from pytest_reviewbench.errors import ReviewFailed
from pytest_reviewbench.model import VERDICTS, Verdict, VerdictWord
from pytest_reviewbench.redact import redacted

ANSWER_LIMIT = 2_000_000
MOST_STARTS = 2_000
REASON_LIMIT = 2_000


class BadVerdicts(ReviewFailed):
    """An answer from which no verdict can be taken; `str()` says why, in our words only."""

    def __init__(self, message: str) -> None:
        super().__init__("verdicts", message)


def read_verdicts(answer: str, findings: Collection[str], bugs: Sequence[str]) -> dict[str, Verdict]:
    """The verdict on each of `findings` (ids, as the prompt shows them).

    `bugs` are the ids of the known bugs in the order of their numbers. Raises `BadVerdicts`.
    """
    found: dict[str, Verdict] = {}
    for n, entry in enumerate(_entries(answer), 1):
        name = entry.get("id")
        if not isinstance(name, str):
            _refuse(f"element {n} has no id")
        if name not in findings:
            _refuse(f"element {n} has an id that no finding has")
        verdict = _verdict(entry, f"finding {name}", bugs)
        if name in found:
            same = (found[name].verdict, found[name].bugs) == (verdict.verdict, verdict.bugs)
            _refuse(f"finding {name} has two verdicts" + ("" if same else " that contradict each other"))
        found[name] = verdict
    if missing := sorted(set(findings) - found.keys()):
        _refuse(f"{len(missing)} of {len(findings)} findings have no verdict, {missing[0]} among them")
    return found


def _verdict(entry: Mapping[str, Any], where: str, bugs: Sequence[str]) -> Verdict:
    word, reason, numbers = entry.get("verdict"), entry.get("reason"), entry.get("bugs")
    if word is None:
        _refuse(f"{where} has no verdict")
    if word not in VERDICTS:  # exactly: "not real" holds "real"
        _refuse(f"{where}: its verdict is none of {', '.join(VERDICTS)}")
    if not isinstance(reason, str) or not reason.strip():
        _refuse(f"{where} has no reason")
    numbers = [] if numbers is None else numbers
    if not isinstance(numbers, list) or not all(type(number) is int for number in numbers):
        _refuse(f"{where}: bugs is not a list of numbers")
    if not all(1 <= number <= len(bugs) for number in numbers):
        _refuse(f"{where} names a bug that is not there; there are {len(bugs)}")
    if len(set(numbers)) < len(numbers):
        _refuse(f"{where} names a bug twice")
    if numbers and word != "gt_same":
        _refuse(f"{where} contradicts itself: {word}, and the same as a known bug")
    if word == "gt_same" and not numbers:
        if len(bugs) != 1:
            _refuse(f"{where}: gt_same without the number of a bug; there are {len(bugs)}")
        numbers = [1]
    return Verdict(
        verdict=cast("VerdictWord", word),
        bugs=tuple(bugs[number - 1] for number in sorted(numbers)),
        reason=redacted(reason)[:REASON_LIMIT],
    )


def _entries(answer: str) -> list[dict[str, Any]]:
    """The one array of verdicts in `answer`, which may have prose or a fence around it."""
    if len(answer) > ANSWER_LIMIT:
        _refuse(f"the answer has over {ANSWER_LIMIT:,} characters")
    found = list(_arrays(answer))
    if not found:
        _refuse("the answer has no complete JSON array of verdicts")
    if any(other != found[0] for other in found):
        _refuse(f"the answer has {len(found)} arrays of verdicts that differ")
    return found[0]


def _arrays(text: str) -> Iterator[list[dict[str, Any]]]:
    """Every outermost array of objects in `text` of which one has a verdict or an id."""
    decoder = json.JSONDecoder(object_pairs_hook=_unique)
    at = 0
    for _ in range(MOST_STARTS):
        at = text.find("[", at)
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except RecursionError:
            _refuse("the answer is nested too deeply to be read")
        except ValueError:
            at += 1
            continue
        at = end
        if (
            value
            and all(isinstance(one, dict) for one in value)
            and any({"id", "verdict"} & one.keys() for one in value)
        ):
            yield value
    _refuse(f"the answer has over {MOST_STARTS:,} opening brackets")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        _refuse("an element has a key twice")
    return found


def _refuse(why: str) -> NoReturn:
    raise BadVerdicts(f"the judge's answer cannot be used: {why}")
