"""An agent that was asked for, found on the machine once, and the sessions it holds."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.errors import ReviewFailed, SettingsError, did_you_mean
from pytest_reviewbench.sessions.agents import AGENTS, NEEDS, PACKAGES
from pytest_reviewbench.sessions.hold import hold, probe
from pytest_reviewbench.sessions.logins import inherited
from pytest_reviewbench.sessions.protocol import Agent, Ask, Probe, Session

DEFAULT_AGENT = "claude"

AgentHome = Literal["private", "inherit"]
"""Whether sessions get keys alone, or also the login that an agent's program keeps in the user's home."""


def installed_agent(name: str | None, where: str) -> Agent:
    """The agent `name` (None: the default), its program here. Raises `SettingsError` that begins with `where`."""
    name = name or DEFAULT_AGENT
    if name not in AGENTS:
        raise SettingsError(f"{where}: no agent {name!r}{did_you_mean(name, sorted(AGENTS))}")
    if find_program(AGENTS[name].name) is None:
        raise SettingsError(f"{where}: {name} is not installed; npm i -g {PACKAGES[name]}")
    needed, package = NEEDS.get(name, ("", ""))
    if needed and find_program(needed) is None:
        raise SettingsError(
            f"{where}: {name} needs {needed}, or it would fetch one in every session; install {package}"
        )
    return AGENTS[name]


class Holder:
    """Holds sessions of one agent, from any thread. Its program is probed at first need."""

    def __init__(
        self, agent: Agent, children: Children, environ: Mapping[str, str], home: AgentHome = "private"
    ) -> None:
        """`home` `inherit`: its sessions get the login that its program has here. Raises `SettingsError`."""
        self.agent, self._login = inherited(agent, environ) if home == "inherit" else (agent, None)
        self._children = children
        self._environ = environ
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

    def hold(self, ask: Ask) -> Session:
        """As `sessions.hold.hold`."""
        with self._login.lent(ask.home) if self._login else contextlib.nullcontext():
            return hold(self.agent, self.probed, ask, self._children, self._environ)
