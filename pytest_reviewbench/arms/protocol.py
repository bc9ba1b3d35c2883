"""The contract between the benchmark and whoever answers. Third parties implement `Family` and `Arm`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pytest_reviewbench.arm_spec import ArmSpec
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.errors import ReviewbenchError
from pytest_reviewbench.model import CostSource, Scope, Usage
from pytest_reviewbench.tasks.review import Question

__all__ = ["Answer", "Arm", "ArmSpec", "BuiltArm", "Family", "Host", "NotAttempted", "Question"]


class NotAttempted(ReviewbenchError):
    """Raised by an arm that cannot answer this question at all (a language without an analyser)."""


@dataclass(frozen=True, slots=True)
class Host:
    """What an arm may use of the machine. `timeout` is in seconds, for one session."""

    children: Children
    timeout: float


@dataclass(frozen=True, slots=True)
class Answer:
    """What an arm has to say.

    `items` are mappings with `text` and optionally `file`, `line`, `end_line`, `severity`, `tool`, `rule`; the
    benchmark normalises them and applies the arm's scope. `raw` is kept in the run folder. `unparsable` is the
    reason why the answer could not be read; items salvaged all the same are kept and never counted.
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
