"""What a dry run says."""

from __future__ import annotations

import pytest

from pytest_reviewbench.report.forecast import Line, forecast_table


@pytest.mark.parametrize("judge", [True, False])
def test_the_note_explains_a_judge_only_where_there_is_one(judge: bool) -> None:
    arm = Line("plain", 1, 1, 1, 1, None, None, "no earlier run")
    lines = [arm, *([Line("judge-x", 1, 1, 0, 1, None, None, "no earlier run", judge=True)] if judge else [])]
    assert ("A judge" in forecast_table(lines).note) == judge
