"""What a session is asked, what comes out of it, and what an agent must know about its program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from pytest_reviewbench.contain.sandbox import View
from pytest_reviewbench.errors import ReviewFailed
from pytest_reviewbench.model import Attempt, CostSource, Usage


@dataclass(frozen=True, slots=True)
class Ask:
    """One session to be held.

    `prompt` goes in through stdin. `folder` is what the session may read (its current folder), `home` an empty
    private HOME that it may write; `view` what of the machine it may see beside the agent's own needs. `skill` is
    the folder of the skill it is to be offered (None: none). `timeout` in seconds for the whole session;
    `max_turns` answers of the model and `max_cost_usd` bound it where the agent knows how. `findings`: the answer
    is to be a list of findings on the change in `folder`, which an agent without tools is given with the prompt.
    """

    prompt: str
    folder: Path
    home: Path
    view: View
    timeout: float
    model: str | None = None
    skill: Path | None = None
    max_turns: int | None = None
    max_cost_usd: float | None = None
    findings: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that was called, in words that all agents share.

    `name` is the tool's own. What it was to look at, as the model wrote it: `paths` of files, folders and patterns
    of names (relative ones count from the session's folder), a `command` for a shell, an address or a query for
    the `web`. `failed`: it was refused, gave an error, or has no result. `output` is what came back where the
    stream tells (None: it does not, or it is no text; empty: nothing came back).
    """

    name: str
    paths: tuple[str, ...] = ()
    command: str | None = None
    web: str | None = None
    failed: bool = False
    output: str | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """What a session said, read from its event stream to the end, or as far as it goes.

    `text` is the final answer; of a session that failed, the last words of the model. `tools` and `skills` are
    those that the session really had; `calls` the tools it called, in order, also by its sub-agents;
    `skills_loaded` the skills whose text it really got. `usage` counts input without what came from a cache.
    What is not known is None, never 0. `skills_loaded` is None where the stream cannot tell. `cost_usd` is null
    unless the service that sets the price was asked itself; whoever knows prices can price `usage`: `service` is
    the maker whose own service answered for a price per token (None: another, or not known). `unparsable` says why
    the answer is none, whatever can be read in it (None: that is for its reader to say).
    """

    text: str = ""
    model: str | None = None
    usage: Usage | None = None
    cost_usd: float | None = None
    cost_source: CostSource = "none"
    tools: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    skills_loaded: tuple[str, ...] | None = None
    service: Literal["anthropic", "openai"] | None = None
    unparsable: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A session that was held: what it said and its event stream, pieces joined (`streamed`), secrets and all.

    `attempts` are all that were made, the last one included, `earlier` the streams of those before; usage and cost
    of `told` are those of all of them. `waited` are the seconds that went by without a session.
    """

    told: Told
    transcript: bytes = b""
    attempts: tuple[Attempt, ...] = ()
    earlier: tuple[bytes, ...] = ()
    waited: float = 0.0


class SessionFailed(ReviewFailed):
    """A session without a usable final answer. `partial` is what is known of it all the same, cost included.

    `kind`: `timeout`, `limit`, `output`, `auth` (401, 403), `rate_limit` (429), `overloaded` (503, 529), `api` (any
    other answer of the service, a broken connection), `max_turns`, `budget`, `protocol` (the stream ended in the
    middle, has no final result or more than one), `exit`. `again` says whether another attempt could go better,
    `retry_after` how many seconds the service asked to wait before it (None: it did not say).
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        partial: Session | None = None,
        again: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(kind, message)
        self.partial = partial
        self.again = again
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Probe:
    """What an agent's program is on this machine: its path, version, and the flags it really has."""

    program: str
    version: str
    flags: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class Launch:
    """How a program of an agent is started: argv (its path first, no prompt, no secret), what its environment
    holds beside PATH, locale and HOME, and what of the machine it sees.

    `trial` is a command that must end with 0 in the same place before anything is spent (None: none): that its
    shell runs, say. It gets no key: nothing of the environment that stands in the agent's `variables`.
    """

    argv: Sequence[str]
    environment: Mapping[str, str]
    view: View
    trial: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program of an agent ended: its exit code and what it printed; `complaint` is the end of its stderr."""

    exit_code: int
    stdout: bytes
    complaint: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What could be read of a session, and why it has no usable answer (None: it has one)."""

    told: Told
    failure: SessionFailed | None = None


class Agent(Protocol):
    """One program that holds AI sessions. Stateless: the same object serves several sessions at once."""

    @property
    def name(self) -> str:
        """The word for `agent = "..."`, and the program as find_program looks for it."""

    @property
    def variables(self) -> Sequence[str]:
        """The documented environment variables of its own that it gets: keys, tokens, base URLs."""

    @property
    def help(self) -> Sequence[str]:
        """The arguments with which it prints the flags that matter here."""

    def launch(self, probe: Probe, ask: Ask, environ: Mapping[str, str]) -> Launch:
        """How to hold `ask`. May write settings of ours into `ask.home`. Raises `ReviewFailed`."""

    def read(self, ended: Ended, ask: Ask, environ: Mapping[str, str]) -> Reading:
        """Read the event stream as far as it goes. Never raises for what is in it."""


@runtime_checkable
class Library(Agent, Protocol):
    """An agent that is no program on PATH but packages of this Python."""

    @property
    def install(self) -> str:
        """The command that brings them."""

    def probe(self) -> Probe | None:
        """What is here; None: not all of them are. Starts nothing."""
