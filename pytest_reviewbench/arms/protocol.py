"""The contract between the benchmark and whoever answers. Third parties implement `Family` and `Arm`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from pytest_reviewbench.arm_spec import ArmSpec
from pytest_reviewbench.connection import Connection
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.errors import ReviewbenchError, ReviewFailed
from pytest_reviewbench.model import Attempt, CostSource, Scope, Usage
from pytest_reviewbench.prices import Price
from pytest_reviewbench.sessions.terms import Terms
from pytest_reviewbench.tasks.review import Question

__all__ = [
    "Answer",
    "AnswerFailed",
    "Arm",
    "ArmSpec",
    "BuiltArm",
    "Disclosure",
    "Family",
    "Host",
    "NotAttempted",
    "Question",
]


class NotAttempted(ReviewbenchError):
    """Raised by an arm that cannot answer this question at all (a language without an analyser)."""


class AnswerFailed(ReviewFailed):
    """Raised by an arm whose reviewer could not finish; `partial` is what is known all the same, cost included."""

    def __init__(self, kind: str, message: str, partial: Answer) -> None:
        super().__init__(kind, message)
        self.partial = partial


@dataclass(frozen=True, slots=True)
class Host:
    """What an arm may use of the machine. `timeout` is in seconds, for one session.

    `root` is the project, from which an arm's paths count; `here` the folder of the invocation; `skill` the one
    that the session was given (None: none); `environ` where documented variables are taken from; `terms` those on
    which AI sessions are held. `connection` is where the agent llm asks its models; `prices` are those of the
    project, by model; `agent_home` `inherit` gives AI sessions the login that their program has here.
    """

    children: Children
    timeout: float
    root: Path = field(default_factory=Path.cwd)
    here: Path = field(default_factory=Path.cwd)
    skill: Path | None = None
    environ: Mapping[str, str] = field(default_factory=dict)
    terms: Terms = field(default_factory=Terms)
    connection: Connection = field(default_factory=Connection)
    prices: Mapping[str, Price] = field(default_factory=dict)
    agent_home: Literal["private", "inherit"] = "private"


@dataclass(frozen=True, slots=True)
class Disclosure:
    """What a run's manifest says of an arm that holds AI sessions: its attribute `disclosure`, if it has one.

    `base_url` is where its model was asked, `price` what the project says it costs (USD per million tokens).
    """

    agent: str | None = None
    agent_version: str | None = None
    prompt_sha256: str | None = None
    skill_sha256: str | None = None
    base_url: str | None = None
    price: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What an arm has to say.

    `items` are mappings with `text` and optionally `file`, `line`, `end_line`, `severity`, `tool`, `rule`; the
    benchmark normalises them and applies the arm's scope. `raw` is kept in the run folder, and so is `transcript`,
    the event stream of a session. `seconds_before` were spent by the review that this answer includes, and
    `seconds_waited` without a session, which is no time of the reviewer. `attempts` are the sessions that were
    tried, `earlier_transcripts` the streams of all but the last.
    `unparsable` is the reason why the answer could not be read; items salvaged all the same are kept and never
    counted. `taint` names what the reviewer looked at beyond its task, with success, `refused` without. `said` is
    the final answer of the arm's own session when that reports anything.
    """

    items: Sequence[Mapping[str, Any]] = ()
    raw: str = ""
    unparsable: str | None = None
    warnings: tuple[str, ...] = ()
    usage: Usage | None = None
    cost_usd: float | None = None
    cost_source: CostSource = "none"
    model: str | None = None
    skill_loaded: bool | None = None
    transcript: bytes = b""
    taint: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    said: str = ""
    seconds_before: float = 0.0
    seconds_waited: float = 0.0
    attempts: tuple[Attempt, ...] = ()
    earlier_transcripts: tuple[bytes, ...] = ()


class Arm(Protocol):
    """One way to answer, ready to be asked from several threads at once."""

    @property
    def scope(self) -> Scope:
        """`hunks`: only findings within 3 lines of a change count; `file`: all of them."""

    @property
    def versions(self) -> Mapping[str, str | None]:
        """Programs that answer and their versions, for the run's manifest; null: not installed."""

    def answer(self, question: Question) -> Answer:
        """Answer, or raise `NotAttempted` with the reason, or `ReviewFailed` for anything that went wrong."""


class Family(Protocol):
    """Builds the arms of one kind."""

    @property
    def name(self) -> str:
        """The word for `family = "..."`."""

    @property
    def keys(self) -> frozenset[str]:
        """The keys of an arm's table that this family takes; others are refused by name."""

    @property
    def required(self) -> frozenset[str]:
        """The keys without which no arm can be built. Empty: the family's name is an arm as well."""

    def build(self, spec: ArmSpec, host: Host) -> Arm:
        """Raises `SettingsError` for a key it cannot use. Starts nothing that costs money."""


@dataclass(frozen=True, slots=True)
class BuiltArm:
    """An arm with the name it was asked for by, and what it was built from."""

    spec: ArmSpec
    arm: Arm = field(repr=False)

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def disclosure(self) -> Disclosure:
        found = getattr(self.arm, "disclosure", None)  # no arm needs to have one
        return found if isinstance(found, Disclosure) else Disclosure()

    @property
    def base(self) -> str | None:
        """The arm whose review of the same case and rep this one builds on; None: it builds on none."""
        found = getattr(self.arm, "base", None)
        return found if isinstance(found, str) else None

    @property
    def sessions(self) -> int:
        """The AI sessions that one of its reviews holds when all goes well, without those of its base."""
        found = getattr(self.arm, "sessions", 0)
        return found if isinstance(found, int) else 0

    @property
    def reruns_on_fixed(self) -> bool:
        """May the arm be asked again on the fixed version, for evidence? Never one that holds AI sessions."""
        return getattr(self.arm, "reruns_on_fixed", False) is True and self.disclosure.agent is None

    @property
    def skill(self) -> str | None:
        """For people: which skill it gives its sessions and where that was found; None: it gives none."""
        found = getattr(self.arm, "skill", None)
        return found if isinstance(found, str) else None
