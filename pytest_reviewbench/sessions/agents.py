"""The agents there are, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pytest_reviewbench.sessions.claude import Claude
from pytest_reviewbench.sessions.codex import Codex
from pytest_reviewbench.sessions.protocol import Agent

_ALL: tuple[Agent, ...] = (Claude(), Codex())

AGENTS: Mapping[str, Agent] = MappingProxyType({agent.name: agent for agent in _ALL})
