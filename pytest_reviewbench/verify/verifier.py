"""Who labels findings: what the user asked for (`judge[:AGENT[:MODEL]]`), and what every verifier can do."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pytest_reviewbench.corpus.shown import Shown
from pytest_reviewbench.errors import ReviewFailed, SettingsError
from pytest_reviewbench.model import Attempt, Case, CostSource, Finding, Usage, Verdict

OPTION = "--reviewbench-verifier"


@dataclass(frozen=True, slots=True)
class Spent:
    """What the labelling of one case took, whatever came of it.

    `answer` and `transcript` are what was said, as it came: secrets and the truth of the case in plain words.
    """

    agent: str | None = None
    agent_version: str | None = None
    model: str | None = None
    prompt_sha256: str | None = None
    context: bool = False
    attempts: tuple[Attempt, ...] = ()
    usage: Usage | None = None
    cost_usd: float | None = None
    cost_source: CostSource = "none"
    seconds: float | None = None
    answer: str = ""
    transcript: bytes = b""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A verdict on every finding that was asked about."""

    verdicts: Mapping[str, Verdict]
    spent: Spent = field(default_factory=Spent)


class NotLabelled(ReviewFailed):
    """A verifier that came to no verdicts on a case; `spent` is what that took."""

    def __init__(self, kind: str, message: str, spent: Spent) -> None:
        super().__init__(kind, message)
        self.spent = spent


class Verifier(Protocol):
    """Labels findings, from several threads at once."""

    @property
    def id(self) -> str:
        """Names the folder of its verdicts; other words for another agent or model."""

    def label(self, case: Case, shown: Shown, findings: Sequence[Finding], within: Path | None) -> Labelled:
        """A verdict on each of the distinct `findings`, by id. Workspaces are made in `within`.

        Raises `NotLabelled`, `ReviewFailed`, `OverBudget` and `Cancelled`.
        """


@dataclass(frozen=True, slots=True)
class JudgeSpec:
    """A judge as it was asked for. None: the default agent, that agent's default model.

    `base_url` and `auth_env` are those of the arm whose agent and model it takes over.
    """

    agent: str | None = None
    model: str | None = None
    base_url: str | None = None
    auth_env: str | None = None


def read_verifier(text: str) -> JudgeSpec:
    """What `judge[:AGENT[:MODEL]]` asks for; a model may hold colons. Raises `SettingsError`."""
    word, *rest = text.split(":", 2)
    if word != "judge" or not all(rest) or any(not part.isprintable() for part in rest):
        raise SettingsError(f"{OPTION}: {text[:80]!r} is not judge[:AGENT[:MODEL]], as in judge:claude:MODEL")
    return JudgeSpec(*rest)


def verifier_id(kind: str, agent: str, model: str | None, base_url: str | None = None) -> str:
    """The name of its folder. A model whose name cannot be part of one gets a hash instead of what differs."""
    name = "-".join(part for part in (kind, agent, model, base_url) if part is not None)
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)[:50]
    return plain if plain == name else f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
