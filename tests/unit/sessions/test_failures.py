"""Every failure shape of every agent: an error of a kind, with its words, never an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

import pytest_reviewbench
from tests.unit.sessions.failures import PROGRAMS, SAID, readings, shapes, table

DOCS = Path(pytest_reviewbench.__file__).parent.parent / "docs" / "agents.md"
CASES = [(agent, what) for agent in PROGRAMS for what in (*shapes(agent), "a cut line")]
COSTS = {"claude": (None, 0, 0.5), "codex": (None,), "gemini": (None,), "opencode": (None, 0.25, 0.5, 0.75)}
"""What is known of costs: nothing, or what the program has reported until then."""


@pytest.mark.parametrize(("agent", "what"), CASES)
def test_a_failure_is_an_error_that_says_whose_it_is_and_keeps_what_is_known(agent: str, what: str) -> None:
    found = readings(agent)[what]
    assert found.failure is not None
    assert str(found.failure).startswith(agent)
    assert found.told.text in (SAID, "[]")  # the latter where a whole answer came, and then one too many
    assert found.told.cost_usd in COSTS[agent]
    assert (found.told.cost_source == "none") == (found.told.cost_usd is None)


def test_a_refusal_keeps_what_was_paid_before_it() -> None:
    told = readings("opencode")["HTTP 429"].told
    assert (told.cost_usd, told.cost_source) == (0.25, "reported")
    assert [call.name for call in told.calls] == ["read"]
    assert readings("claude")["too much money"].told.cost_usd == 0.5


def test_the_page_shows_these_failures() -> None:
    """`python -m tests.unit.sessions.failures` prints what belongs there."""
    assert "\n".join(table()) in DOCS.read_text()
