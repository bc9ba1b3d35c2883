"""`family = "grep"`: the key `model` holds the word to look for."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_reviewbench.arms.protocol import Answer, ArmSpec, Host, NotAttempted, Question
from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.model import Scope


class GrepFamily:
    name = "grep"
    keys = frozenset({"model", "scope"})
    required = frozenset({"model"})

    def build(self, spec: ArmSpec, host: Host) -> GrepArm:
        assert spec.model is not None
        if not spec.model.isalnum():
            raise SettingsError(f"[tool.reviewbench.arms.{spec.name}] model: expected one word, got {spec.model!r}")
        return GrepArm(spec.model, spec.scope or "hunks")


class GrepArm:
    versions: Mapping[str, str | None] = {"grep": "1.0"}

    def __init__(self, word: str, scope: Scope) -> None:
        self._word = word
        self.scope: Scope = scope

    def answer(self, question: Question) -> Answer:
        if question.tree is None:
            raise NotAttempted("the case has no tree to look into")
        items = [
            {"file": file, "line": n, "text": f"past the end? the line holds {self._word!r}"}
            for file in question.files
            for n, line in enumerate((question.tree / file).read_text().splitlines(), 1)
            if self._word in line
        ]
        return Answer(items=items, raw=repr(items), cost_usd=0.0)
