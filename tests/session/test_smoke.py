"""The shortest way through everything."""

from __future__ import annotations

import pytest

from tests.samples import HIT, report, say, write_case, write_project


@pytest.mark.parametrize("mode", [(), ("-n", "2")], ids=["in flight", "xdist"])
def test_a_hit_is_counted_in_both_modes(pytester: pytest.Pytester, mode: tuple[str, ...]) -> None:
    write_case(pytester.path / "corpus", "py-1")
    write_case(pytester.path / "corpus", "py-2", bugs=[])
    write_project(pytester.path, {"echo": say([HIT])})
    result = pytester.runpytest_subprocess("--reviewbench-arm=echo", *mode)
    assert result.ret == 0
    numbers = report(pytester.path)["arms"]["echo"]["numbers"]
    assert (numbers["recall_strict"], numbers["precision_strict"]) == (1.0, 0.5)
    assert numbers["false_alarms_clean"] == 1.0
