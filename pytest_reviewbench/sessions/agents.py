"""The agents there are, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pytest_reviewbench.sessions.claude import Claude
from pytest_reviewbench.sessions.codex import Codex
from pytest_reviewbench.sessions.gemini import Gemini
from pytest_reviewbench.sessions.llm.agent import Llm
from pytest_reviewbench.sessions.opencode import SEARCHES_WITH, OpenCode
from pytest_reviewbench.sessions.protocol import Agent

_ALL: tuple[Agent, ...] = (Claude(), Codex(), Gemini(), OpenCode(), Llm())

PACKAGES: Mapping[str, str] = MappingProxyType(
    {
        "claude": "@anthropic-ai/claude-code",
        "codex": "@openai/codex",
        "gemini": "@google/gemini-cli",
        "opencode": "opencode-ai",
    }
)
"""The npm package of each program."""

NEEDS: Mapping[str, tuple[str, str]] = MappingProxyType({"opencode": (SEARCHES_WITH, "ripgrep")})
"""Another program that an agent cannot do without, and the package of the system that brings it."""

AGENTS: Mapping[str, Agent] = MappingProxyType({agent.name: agent for agent in _ALL})
