"""When is a finding gone from the fixed version?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pytest_reviewbench.model import Finding
from pytest_reviewbench.scoring.gone import Region, gone_when_fixed


def said(line: int | None = 5, text: str = "ruff X1: it breaks", name: str = "f", **keys: str | None) -> Finding:
    fields: dict[str, Any] = {"file": "a.py", "tool": "ruff", "rule": "X1", **keys}
    return Finding(id=name, text=fields.pop("text", text), line=line, **fields)


def gone(
    found: Sequence[Finding],
    on_fixed: Sequence[Finding],
    changed: Mapping[str, Sequence[Region] | None] | None = None,
) -> list[bool | None]:
    verdicts = gone_when_fixed(found, on_fixed, changed or {})
    return [verdicts[finding.id] for finding in found]


def test_what_the_fixed_version_does_not_say_is_gone() -> None:
    assert gone([said()], []) == [True]
    assert gone([said()], [said()]) == [False]
    assert gone([], [said()]) == []


@pytest.mark.parametrize(
    "other",
    [
        {"tool": "pyrefly"},
        {"rule": "X2"},
        {"file": "b.py"},
        {"text": "ruff X1: it breaks otherwise"},
    ],
)
def test_tool_rule_file_and_text_must_be_the_same(other: dict[str, str]) -> None:
    assert gone([said()], [said(**other)]) == [True]  # type: ignore[arg-type]


def test_lines_are_where_the_diff_puts_them() -> None:
    # Lines 3 and 4 became one line, two lines came in behind line 6: 5 is 4, 6 is 5, 7 is 8.
    changed = {"a.py": [(2, 4, 2, 3), (6, 6, 5, 7)]}
    for line, there in ((1, 1), (2, 2), (5, 4), (6, 5), (7, 8)):
        assert gone([said(line)], [said(there)], changed) == [False], line
        assert gone([said(line)], [said(there + 1)], changed) == [True], line


def test_on_a_changed_region_the_same_finding_may_stand_on_any_of_its_new_lines() -> None:
    changed = {"a.py": [(2, 4, 2, 5)]}  # lines 3 and 4 became 3 to 5
    for line in (3, 4):
        assert [gone([said(line)], [said(there)], changed) for there in (2, 3, 5, 6)] == [
            [True],
            [False],
            [False],
            [True],
        ]
    assert gone([said(3)], [said(3)], {"a.py": [(2, 4, 2, 2)]}) == [True]  # both lines were deleted


def test_of_equal_findings_on_one_region_it_is_not_known_which_are_gone() -> None:
    changed = {"a.py": [(2, 4, 2, 5)]}
    two = [said(3, name="f"), said(4, name="g")]
    assert gone(two, [], changed) == [True, True]
    assert gone(two, [said(3)], changed) == [None, None]
    assert gone(two, [said(3), said(5)], changed) == [False, False]


def test_numbers_of_lines_within_a_text_may_shift() -> None:
    changed = {"a.py": [(0, 0, 0, 7)]}
    before, after = said(20, "F811: `x` from line 12"), said(27, "F811: `x` from line 19")
    assert gone([before], [after], changed) == [False]
    assert gone([said(20, "12 arguments")], [said(27, "19 arguments")], changed) == [True]


def test_a_finding_without_a_line_or_a_file_is_compared_by_its_words() -> None:
    assert gone([said(None)], [said(None)]) == [False]
    assert gone([said(None)], [said(5)]) == [True]
    assert gone([said(None, file=None)], [said(None, file=None)]) == [False]


def test_with_its_file_a_finding_is_gone() -> None:
    assert gone([said()], [said()], {"a.py": None}) == [True]
