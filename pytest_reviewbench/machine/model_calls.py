"""The agent `llm`: whether its libraries are here, in versions that are known to work, and which keys there are."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator, Mapping

from pytest_reviewbench.machine.check import Found, Task
from pytest_reviewbench.sessions import pricing
from pytest_reviewbench.sessions.agents import AGENTS
from pytest_reviewbench.sessions.llm.agent import DISTRIBUTIONS, Llm, command
from pytest_reviewbench.sessions.llm.service import SERVICES

NOT_PRICED = "no price data: what agents tell of tokens becomes no cost"


def tasks(environ: Mapping[str, str]) -> Iterator[Task]:
    yield Task("agents", Llm.name, lambda: asked(environ))


def asked(environ: Mapping[str, str]) -> Found:
    """By what is installed: to import it takes seconds, and no service is asked."""
    agent = AGENTS[Llm.name]
    assert isinstance(agent, Llm)
    keys = [name for one in SERVICES for name in one.keys if environ.get(name)]
    told = [f"set: {', '.join(keys)}" if keys else "no variable with a key is set"]
    if pricing.data_version() is None:
        told.insert(0, NOT_PRICED)
    try:
        probed = agent.probe()
        versions = [f"{name} {importlib.metadata.version(name)}" for name in DISTRIBUTIONS[1:]]
    except importlib.metadata.PackageNotFoundError:
        probed = None
    if probed is None:
        return Found("missing", detail="; ".join(told), advice=agent.install)
    return Found("usable", probed.version, command(), detail="; ".join([", ".join(versions), *told]))
