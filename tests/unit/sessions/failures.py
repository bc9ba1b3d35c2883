"""Each way in which a session can fail, as each agent prints it; the table of docs/agents.md is made of them.

`python -m tests.unit.sessions.failures` prints it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from pytest_reviewbench.sessions.agents import AGENTS
from pytest_reviewbench.sessions.protocol import Ended, Reading
from tests.unit.sessions.making import (
    Json,
    asked,
    gemini_refused,
    gemini_result,
    gemini_said,
    gemini_start,
    init,
    item,
    lines,
    result,
    spoken,
    step,
    step_call,
    step_refused,
    step_said,
    turn,
    turn_failed,
    words,
)

SAID = "So far."
BEGUN: dict[str, Sequence[Json]] = {
    "claude": [init(), spoken("m1", words(SAID))],
    "codex": [item("i1", "agent_message", text=SAID)],
    "gemini": [gemini_start(), *gemini_said(SAID)],
    "opencode": [step_said(1, SAID), step_call("t1", "read"), step(1, "tool-calls")],
}
"""What each has printed before it fails."""
PROGRAMS = tuple(BEGUN)
"""The agents that are programs of others; what `llm` prints is ours, and tested where it calls a service."""
GOOD: dict[str, Sequence[Json]] = {
    "claude": [result("[]")],
    "codex": [turn()],
    "gemini": [gemini_result()],
    "opencode": [step_said(2, "[]"), step(2)],
}
STATUSES = (401, 403, 429, 500, 503, 529, 400)
HAPPENED = {
    "reset": {
        "claude": "API Error: Connection dropped (ECONNRESET).",
        "codex": "stream disconnected before completion: error sending request",
        "gemini": "[API Error: exception TypeError: fetch failed sending request]",
        "opencode": "Cannot connect to API: The socket connection was closed unexpectedly.",
    }
}
Shape = tuple[list[Json], int]
"""Events and exit code."""


def refusal(agent: str, status: int | None, message: str) -> Shape:
    """How `agent` ends when its model's service answers with `status` (None: not at all)."""
    if agent == "claude":
        end = result(message, is_error=True, modelUsage={}, total_cost_usd=0, api_error_status=status)
    elif agent == "codex":
        end = turn_failed(message if status is None else f"unexpected status {status} X: {message}")
    elif agent == "gemini":
        told = status if status != 429 else None  # it leaves the number out
        end = gemini_refused(told, message if status != 429 else "[API Error: x] request a quota increase")
    else:
        end = step_refused(status, message)
    return [*BEGUN[agent], end], 1


def shapes(agent: str) -> dict[str, Shape]:
    """Every failure of `agent` that its stream shows, by what happened."""
    begun, good = list(BEGUN[agent]), list(GOOD[agent])
    made = {f"HTTP {status}": refusal(agent, status, "no") for status in STATUSES}
    made |= {what: refusal(agent, None, said[agent]) for what, said in HAPPENED.items()}
    if agent == "claude":
        for what, subtype in (("too many turns", "error_max_turns"), ("too much money", "error_max_budget_usd")):
            made[what] = ([*begun, result(None, subtype=subtype, is_error=True)], 1)
    if agent == "gemini":
        error = {"type": "FatalTurnLimitedError", "message": "Reached max session turns for this session."}
        made["too many turns"] = ([*begun, gemini_result("error", error)], 53)
    made["no final result"] = (begun, 0)
    made["two final results"] = ([*begun, *good, good[-1]], 0)
    made["it ends by itself with an error"] = ([*begun, *(good if agent != "claude" else [])], 3)
    return made


def read(agent: str, events: Sequence[Json], code: int, *, cut: int = 0) -> Reading:
    """As the agent reads it; `cut` bytes are missing at the end."""
    raw = lines(*events)
    with tempfile.TemporaryDirectory() as folder:
        model = "anthropic/x" if agent == "opencode" else "x"
        ask = asked(Path(folder), model=model)
        return AGENTS[agent].read(Ended(code, raw[: len(raw) - cut], "last words"), ask, {})


def readings(agent: str) -> dict[str, Reading]:
    made = {what: read(agent, *shape) for what, shape in shapes(agent).items()}
    made["a cut line"] = read(agent, [*BEGUN[agent], *GOOD[agent]], 0, cut=9)
    return made


def table() -> list[str]:
    """Markdown, a row per failure: its kind, and `again` where another attempt can go better."""
    found = {agent: readings(agent) for agent in PROGRAMS}
    rows = dict.fromkeys(what for told in found.values() for what in told)
    lines = [f"| what happens | {' | '.join(PROGRAMS)} |", "|---" * (len(PROGRAMS) + 1) + "|"]
    for what in rows:
        cells = [_cell(found[agent].get(what)) for agent in PROGRAMS]
        lines.append(f"| {what} | {' | '.join(cells)} |")
    return lines


def _cell(reading: Reading | None) -> str:
    if reading is None or reading.failure is None:
        return "-"
    again = ", again" if reading.failure.again else ""
    return f"`{reading.failure.kind}`{again}"


if __name__ == "__main__":
    print("\n".join(table()))  # noqa: T201
