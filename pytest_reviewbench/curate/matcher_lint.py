"""Does each regex of a corpus accept what names its bug, and nothing else?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_reviewbench.corpus.layout import TRUTH
from pytest_reviewbench.curate.problem import Problem
from pytest_reviewbench.curate.remarks import GENERIC
from pytest_reviewbench.errors import CorpusError
from pytest_reviewbench.model import Bug, Case
from pytest_reviewbench.scoring.matcher import Search, collapse


@dataclass(frozen=True, slots=True)
class Example:
    """The example of a bug: what a good reviewer says of it."""

    case: str
    bug: str
    file: str | None
    text: str


def examples(cases: Sequence[Case]) -> list[Example]:
    """Every example of the corpus."""
    return [
        Example(case.id, bug.id or "", bug.file, collapse(bug.example))
        for case in cases
        for bug in case.truth.bugs
        if bug.example
    ]


def lint_matchers(case: Case, others: Sequence[Example], search: Search) -> Iterator[Problem]:
    """What the regexes of `case` accept that they should not, and refuse that they should not.

    An example of another case is a warning: bugs of one kind sound alike, and the harness asks for the file too.
    """
    for n, bug in enumerate(case.truth.bugs):
        where = f"{TRUTH}: $.bugs[{n}].match"
        if bug.match is None:
            continue
        try:
            yield from _lint(case, bug, bug.match, others, search, where)
        except CorpusError as e:
            yield Problem(where, str(e))


def _lint(
    case: Case, bug: Bug, match: str, others: Sequence[Example], search: Search, where: str
) -> Iterator[Problem]:
    if bug.bug and not search(match, collapse(bug.bug)):
        yield Problem(where, "does not accept the description of its own bug", "warning")
    if case.meta.symptom and search(match, collapse(case.meta.symptom)):
        yield Problem(where, "accepts the symptom: whoever repeats what users see has not found the cause")
    for remark in GENERIC:
        if search(match, remark):
            yield Problem(where, f"accepts a remark that fits any change: {remark!r}")
    for other in others:
        if (other.case, other.bug) == (case.id, bug.id) or not search(match, other.text):
            continue
        if other.case == case.id:
            if other.file == bug.file:
                yield Problem(where, f"accepts the example of its neighbour {other.bug} in the same file")
        else:
            yield Problem(where, f"accepts the example of {other.case} {other.bug}", "warning")
