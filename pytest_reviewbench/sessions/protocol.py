"""What a session is asked, what comes out of it, and what an agent must know about its program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pytest_reviewbench.contain.sandbox import View
from pytest_reviewbench.errors import ReviewFailed
from pytest_reviewbench.model import CostSource, Usage


@dataclass(frozen=True, slots=True)
class Ask:
    """One session to be held.

    `prompt` goes in through stdin. `folder` is what the session may read (its current folder), `home` an empty
    private HOME; `view` what of the machine it may see beside the agent's own needs. `skill` is the folder of the
    skill it is to be offered (None: none). `timeout` in seconds for the whole session.
    """

    prompt: str
    folder: Path
    home: Path
    view: View
    timeout: float
    model: str | None = None
    skill: Path | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """What a session said, read from its event stream to the end.

    `text` is the final answer; `tools` and `skills` are those that the session really had; `calls` the names of
    the tools it called, in order; `skills_loaded` the skills whose text it really got. What is not known is None,
    never 0. `skills_loaded` is None where the stream cannot tell.
    """

    text: str
    model: str | None = None
    usage: Usage | None = None
    cost_usd: float | None = None
    cost_source: CostSource = "none"
    tools: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    skills_loaded: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A session that was held: what it said and its whole event stream, as it came."""

    told: Told
    transcript: bytes = b""


class SessionFailed(ReviewFailed):
    """A session without a usable final answer. `partial` is what is known of it all the same, cost included.

    `kind`: `timeout`, `spawn`, `limit`, `auth` (401, 403), `rate_limit` (429), `overloaded` (529, 503), `api` (any
    other answer of the service, a broken connection), `max_turns`, `budget`, `protocol` (the stream ended in the
    middle, has no final result or more than one), `exit`. `again`: could another attempt go better?
    """

    def __init__(self, kind: str, message: str, *, partial: Session | None = None, again: bool = False) -> None:
        super().__init__(kind, message)
        self.partial = partial
        self.again = again


@dataclass(frozen=True, slots=True)
class Probe:
    """What an agent's program is on this machine: its path, version, and the flags it really has."""

    program: str
    version: str
    flags: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program of an agent ended: its exit code and streams."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool


class Agent(Protocol):
    """One program that holds AI sessions. Stateless: the same object serves several sessions at once."""

    @property
    def name(self) -> str:
        """The word for `agent = "..."`, and the program as find_program looks for it."""

    @property
    def variables(self) -> Sequence[str]:
        """The documented environment variables that it needs: keys, tokens, base URLs, proxies, certificates."""

    def flags(self, help_text: str) -> frozenset[str]:
        """The flags that matter here and that this version has, from what its `--help` prints."""

    def command(self, probe: Probe, ask: Ask) -> Sequence[str]:
        """argv. The prompt is not in it. May write settings of ours into `ask.home`."""

    def environment(self, ask: Ask, environ: Mapping[str, str]) -> Mapping[str, str]:
        """What it gets beside PATH, locale and HOME; values of `variables` come from `environ`."""

    def view(self, ask: Ask) -> View:
        """`ask.view` with what the agent needs besides: the network, the skill's folder."""

    def read(self, ended: Ended, ask: Ask) -> Told:
        """Read the event stream to its end. Raises `SessionFailed` (without transcript: the caller adds it)."""
