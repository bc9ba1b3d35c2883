"""The agents there are, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pytest_reviewbench.sessions.claude import Claude
from pytest_reviewbench.sessions.codex import Codex
from pytest_reviewbench.sessions.llm.agent import Llm
from pytest_reviewbench.sessions.protocol import Agent

_ALL: tuple[Agent, ...] = (Claude(), Codex(), Llm())

PACKAGES: Mapping[str, str] = MappingProxyType(
    {
        "claude": "@anthropic-ai/claude-code",
        "codex": "@openai/codex",
        "gemini": "@google/gemini-cli",
        "opencode": "opencode-ai",
    }
)
"""The npm package of each program, also of those that no arm uses yet."""

AGENTS: Mapping[str, Agent] = MappingProxyType({agent.name: agent for agent in _ALL})
