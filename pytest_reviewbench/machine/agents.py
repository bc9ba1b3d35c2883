"""Programs that run AI sessions: whether they are here, and by what they would pay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pytest_reviewbench.contain.environment import reviewer_environment
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.machine.asking import ask_version
from pytest_reviewbench.machine.check import Found, Task
from pytest_reviewbench.machine.containment import Containment
from pytest_reviewbench.sessions.agents import NEEDS, PACKAGES
from pytest_reviewbench.sessions.logins import login_of

SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Agent:
    """`package` is its name in the npm registry, `keys` the variables that its documentation names for a key."""

    program: str
    package: str
    keys: tuple[str, ...]


AGENTS = (
    Agent(
        "claude", PACKAGES["claude"],
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    ),
    Agent("codex", PACKAGES["codex"], ("CODEX_API_KEY", "OPENAI_API_KEY")),
    Agent("gemini", PACKAGES["gemini"], ("GEMINI_API_KEY",)),
    Agent(
        "opencode", PACKAGES["opencode"],
        (
            "ANTHROPIC_API_KEY", "DEEPSEEK_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GROQ_API_KEY",
            "MISTRAL_API_KEY", "OPENAI_API_KEY", "OPENCODE_API_KEY", "OPENROUTER_API_KEY", "XAI_API_KEY",
        ),
    ),
)  # fmt: skip


def tasks(containment: Containment, environ: Mapping[str, str]) -> Iterator[Task]:
    for agent in AGENTS:
        yield Task("agents", agent.program, lambda agent=agent: asked(agent, containment, environ))  # type: ignore[misc]


def asked(agent: Agent, containment: Containment, environ: Mapping[str, str]) -> Found:
    """Is it here, does it start, and which variables for its key are set: their names, never a value.

    It starts with an empty HOME, without those variables and (in a sandbox) without a network: an agent that
    updates itself or reports home has nothing to do it with. So whether a key is good is not known.
    """
    keys = [name for name in agent.keys if environ.get(name)]
    detail = f"set: {', '.join(keys)}" if keys else "no variable with a key is set"
    login = login_of(agent.program, environ)
    if login is not None:
        detail += f"; a login {'lies' if login.found else 'is not'} in {login.file}"
    install = f"npm i -g {agent.package}"
    program = find_program(agent.program)
    if program is None:
        return Found("missing", detail=detail if keys else None, advice=install)
    contained = containment.sandbox().program is not None

    def ask(contained: bool) -> Found:
        return ask_version(
            containment.children, program, environment=lambda home: reviewer_environment(home, environ),
            seconds=SECONDS, install=install, contained=contained,
        )  # fmt: skip

    found = ask(contained)
    needed, brings = NEEDS.get(agent.program, ("", ""))
    if found.state == "usable" and needed and find_program(needed) is None:
        found = replace(found, state="limited", detail=f"it needs {needed}", advice=f"install {brings}")
    if contained and found.state == "broken" and ask(False).state == "usable":
        found = replace(found, state="limited", detail=f"only outside the sandbox: {found.detail}")
    return replace(found, detail=f"{found.detail}; {detail}" if found.detail else detail)
