"""What a corpus consists of, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from pytest_reviewbench.corpus.case_files import proof_name
from pytest_reviewbench.model import Case
from pytest_reviewbench.scoring.dates import UNKNOWN, date_group

BY: Mapping[str, Callable[[Case], Iterable[str]]] = {
    "language": lambda case: [case.meta.lang],
    "class": lambda case: [] if case.clean else [case.meta.class_ or UNKNOWN],
    "severity": lambda case: [bug.severity or UNKNOWN for bug in case.truth.bugs],
    "category": lambda case: [bug.category or UNKNOWN for bug in case.truth.bugs],
    "published": lambda case: [date_group(case.meta.published)],
    "source": lambda case: [case.meta.source.ecosystem if case.meta.source else _committed(case)],
    "change": lambda case: [case.meta.source.mode if case.meta.source else _committed(case)],
    "proof": lambda case: [] if case.clean else ["no" if proof_name(case) is None else "yes"],
}


def _committed(case: Case) -> str:
    return "committed" if case.meta.no_change is None else "none"


def count(cases: Iterable[Case]) -> dict[str, dict[str, dict[str, int]]]:
    """{what: {value: {split: how many}}}; severities and categories count bugs, everything else cases."""
    found: dict[str, dict[str, Counter[str]]] = {}

    def add(what: str, value: str, split: str, number: int = 1) -> None:
        found.setdefault(what, {}).setdefault(value, Counter())[split] += number

    for case in cases:
        add("corpus", "cases", case.split)
        add("corpus", "clean controls" if case.clean else "cases with bugs", case.split)
        add("corpus", "bugs", case.split, len(case.truth.bugs))
        for what, values in BY.items():
            for value in values(case):
                add(what, value, case.split)
    return {
        what: {value: dict(sorted(counted.items())) for value, counted in sorted(values.items())}
        for what, values in found.items()
    }
