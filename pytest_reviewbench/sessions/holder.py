"""An agent that was asked for, found on the machine once, and the sessions it holds."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pytest_reviewbench.connection import Connection
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.errors import ReviewFailed, SettingsError, did_you_mean
from pytest_reviewbench.prices import NO_PRICES, Price
from pytest_reviewbench.sessions import pricing
from pytest_reviewbench.sessions.agents import AGENTS, NEEDS, PACKAGES
from pytest_reviewbench.sessions.hold import hold, probe
from pytest_reviewbench.sessions.llm.agent import Llm
from pytest_reviewbench.sessions.logins import inherited
from pytest_reviewbench.sessions.protocol import Agent, Ask, Library, Probe, Session, SessionFailed
from pytest_reviewbench.sessions.terms import Terms

DEFAULT_AGENT = "claude"

AgentHome = Literal["private", "inherit"]
"""Whether sessions get keys alone, or also the login that an agent's program keeps in the user's home."""


def installed_agent(
    name: str | None, where: str, *, model: str | None, connection: Connection, environ: Mapping[str, str]
) -> Agent:
    """The agent `name` (None: the default), here and ready to be asked for `model`.

    Raises `SettingsError` that begins with `where`.
    """
    name = name or DEFAULT_AGENT
    if name not in AGENTS:
        raise SettingsError(f"{where}: no agent {name!r}{did_you_mean(name, sorted(AGENTS))}")
    agent = AGENTS[name]
    if isinstance(agent, Library):
        if agent.probe() is None:
            raise SettingsError(f"{where}: {name} is not installed; {agent.install}")
    elif find_program(agent.name) is None:
        raise SettingsError(f"{where}: {name} is not installed; npm i -g {PACKAGES[name]}")
    needed, package = NEEDS.get(name, ("", ""))
    if needed and find_program(needed) is None:
        raise SettingsError(
            f"{where}: {name} needs {needed}, or it would fetch one in every session; install {package}"
        )
    return agent.connected(model, connection, environ, where) if isinstance(agent, Llm) else agent


class Holder:
    """Holds sessions of one agent, from any thread. Its program is probed at first need.

    `prices` are those that the project gives, by model; `terms` those on which its sessions are held; `home`
    `inherit`: they get the login that its program has here (a model call has none).
    """

    def __init__(
        self,
        agent: Agent,
        children: Children,
        environ: Mapping[str, str],
        *,
        prices: Mapping[str, Price] = NO_PRICES,
        terms: Terms | None = None,
        home: AgentHome = "private",
    ) -> None:
        """Raises `SettingsError` when there is no login to inherit."""
        lent = home == "inherit" and not isinstance(agent, Llm)
        self.agent, self._login = inherited(agent, environ) if lent else (agent, None)
        self._terms = terms or Terms()
        self._children = children
        self._environ = environ
        self._prices = prices
        self._probed: Probe | None = None
        self._lock = threading.Lock()

    @property
    def probed(self) -> Probe:
        """What the program is here. Raises `ReviewFailed`."""
        with self._lock:
            if self._probed is None:
                with tempfile.TemporaryDirectory(prefix="ws") as home:
                    found = probe(self.agent, self._children, Path(home), self._environ)
                if found is None:
                    raise ReviewFailed("spawn", f"{self.agent.name} is not there any more")
                self._probed = found
            return self._probed

    @property
    def versions(self) -> Mapping[str, str | None]:
        """Of the agent, and of the data that its tokens may be priced by (None: not installed)."""
        found: dict[str, str | None] = {self.agent.name: self.probed.version}
        if self.agent.name != "claude":  # it says itself what a session cost
            found[pricing.DATA] = pricing.data_version()
        return found

    @property
    def base_url(self) -> str | None:
        """Where it was told to ask its model; None: its own service, or what its variables say."""
        service = self.agent.service if isinstance(self.agent, Llm) else None
        return service.base_url if service is not None else None

    def price(self, model: str | None) -> Mapping[str, float] | None:
        """What the project says `model` costs, in USD per million tokens."""
        found = pricing.configured(None, model, self._prices)
        return None if found is None else dataclasses.asdict(found)

    def hold(self, ask: Ask) -> Session:
        """As `sessions.hold.hold`, with a cost where one can be known, on the terms of this benchmark."""
        return self._terms.hold(self.agent.name, lambda: self._once(ask), self._children.pause)

    def _once(self, ask: Ask) -> Session:
        """One attempt, priced: its cost is what counts against the budget."""
        try:
            with self._login.lent(ask.home) if self._login else contextlib.nullcontext():
                session = hold(self.agent, self.probed, ask, self._children, self._environ)
        except SessionFailed as e:
            e.partial = None if e.partial is None else self._priced(e.partial, ask)
            raise
        return self._priced(session, ask)

    def _priced(self, session: Session, ask: Ask) -> Session:
        return dataclasses.replace(session, told=pricing.priced(session.told, ask.model, self._prices))
