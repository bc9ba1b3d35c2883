"""`perun-gap`: the review of another arm, and a second session that hunts for what it missed."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_reviewbench.arm_spec import ArmSpec, base_of
from pytest_reviewbench.arms.protocol import Answer, AnswerFailed, Host, Question
from pytest_reviewbench.arms.session_arm import SessionArm, find_agent
from pytest_reviewbench.arms.skill import Skill, find_skill
from pytest_reviewbench.errors import OverBudget, ReviewFailed
from pytest_reviewbench.model import Finding, Usage
from pytest_reviewbench.sessions import prompts
from pytest_reviewbench.sessions.protocol import Agent
from pytest_reviewbench.tasks.review import Earlier


class GapFamily:
    """`family = "perun-gap"`: `base` names the arm of the first pass."""

    name = "perun-gap"
    keys = frozenset({"agent", "model", "scope", "base_url", "auth_env", "skill", "base"})
    required: frozenset[str] = frozenset()

    def build(self, spec: ArmSpec, host: Host) -> GapArm:
        return GapArm(spec, host, find_agent(spec, host, skilled=True), find_skill(spec.skill, host))


class GapArm(SessionArm):
    """The union of both passes; what they cost and took is the sum."""

    def __init__(self, spec: ArmSpec, host: Host, agent: Agent, skill: Skill) -> None:
        super().__init__(spec, host, agent, skill)
        self._name = skill.name
        self.base = base_of(spec) or spec.family
        self.prompt = prompts.gap(skill.name, "[]")

    def answer(self, question: Question) -> Answer:
        earlier = question.earlier
        if earlier is not None and earlier.review.status == "not_run" and earlier.review.error is not None:
            raise OverBudget(earlier.review.error.message)
        if earlier is None or earlier.review.status != "ok":
            raise ReviewFailed("base", _why(self.base, earlier))
        known = [_item(finding) for finding in earlier.review.findings]
        try:
            second = self.hold(question, prompts.gap(self._name, json.dumps(known, ensure_ascii=False, indent=1)))
        except AnswerFailed as e:
            raise AnswerFailed(e.kind, f"second pass: {e}", self._with(earlier, e.partial, ())) from None
        new = [item for item in second.items if item not in known]
        return self._with(earlier, second, [*known, *new], said=second.said if new else "")

    def _with(self, earlier: Earlier, second: Answer, items: Sequence[Mapping[str, Any]], said: str = "") -> Answer:
        """`second` with what the first pass said, cost, took and looked at."""
        first = earlier.review
        return dataclasses.replace(
            second,
            items=items,
            raw=f"== first pass ({self.base})\n{earlier.raw}\n== second pass\n{second.raw}",
            usage=_both(first.usage, second.usage),
            cost_usd=_sum(first.cost_usd, second.cost_usd),
            cost_source=first.cost_source if first.cost_source == second.cost_source else "none",
            seconds_before=first.seconds or 0.0,
            taint=(*(f"first pass: {one}" for one in first.taint), *second.taint),
            refused=(*(f"first pass: {one}" for one in first.refused), *second.refused),
            said=said,
        )


def _why(base: str, earlier: Earlier | None) -> str:
    if earlier is None:
        return f"there is no review by {base} to build on"
    error = earlier.review.error
    return f"the first pass ({base}) ended as {earlier.review.status}" + (f": {error.message}" if error else "")


def _item(finding: Finding) -> dict[str, Any]:
    keys = ("file", "line", "end_line", "severity", "text")
    return {key: value for key in keys if (value := getattr(finding, key)) is not None}


def _both(one: Usage | None, other: Usage | None) -> Usage | None:
    if one is None or other is None:
        return None
    return Usage(**{name: _sum(getattr(one, name), getattr(other, name)) for name in Usage.__struct_fields__})


def _sum(one: Any, other: Any) -> Any:
    """Unknown when either is: half a sum would look like the whole."""
    return None if one is None or other is None else one + other
