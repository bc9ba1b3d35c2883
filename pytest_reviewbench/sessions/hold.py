"""Holds one session: an agent's program, its prompt through stdin, its event stream kept and read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from pytest_reviewbench.contain.environment import reviewer_environment
from pytest_reviewbench.contain.process import Children, Completed
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.errors import ReviewFailed
from pytest_reviewbench.sessions.protocol import Agent, Ask, Ended, Launch, Library, Probe, Session, SessionFailed
from pytest_reviewbench.sessions.streamed import joined

OUTPUT_LIMIT = 64 << 20
PROBE_SECONDS = 60.0
VERSION = re.compile(rb"\d+\.\d+[\w.+-]*")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")


def probe(agent: Agent, children: Children, home: Path, environ: Mapping[str, str]) -> Probe | None:
    """What the agent's program is here; None when it is not installed. Spends nothing.

    `home` is an empty folder that serves as HOME. Raises `ReviewFailed` when it does not say its version.
    """
    if isinstance(agent, Library):
        return agent.probe()
    program = find_program(agent.name)
    return None if program is None else probe_program(agent, program, children, home, environ)


def probe_program(agent: Agent, program: str, children: Children, home: Path, environ: Mapping[str, str]) -> Probe:
    """`probe` for the program at a known path. `flags` are all words of its help that look like flags."""
    env = reviewer_environment(home, environ)
    version, usage = (
        children.run([program, *words], cwd=home, env=env, timeout=PROBE_SECONDS)
        for words in (("--version",), agent.help)
    )
    found = VERSION.search(version.stdout) if version.exit_code == 0 else None
    if found is None:
        raise ReviewFailed("spawn", f"{program} --version: exit code {version.exit_code}: {version.tail()}")
    flags = FLAG.findall((usage.stdout + usage.stderr).decode("utf-8", "replace"))
    return Probe(program, found[0].decode(), frozenset(flags))


def hold(agent: Agent, probed: Probe, ask: Ask, children: Children, environ: Mapping[str, str]) -> Session:
    """Hold the session that `ask` describes.

    Raises `SessionFailed` with everything that is known of it (stream, usage, cost), `ReviewFailed` when it could
    not be started (`spawn`; `trial`: what it needs does not work here), and `Cancelled`.
    """
    launch = agent.launch(probed, ask, environ)
    env = {**reviewer_environment(ask.home, environ), **launch.environment}
    if launch.trial is not None:
        _try(agent, launch, ask, children, {name: env[name] for name in env if name not in agent.variables})
    done = children.run(
        list(launch.argv),
        cwd=ask.folder,
        env=env,
        timeout=ask.timeout,
        stdin=ask.prompt.encode("utf-8", "replace"),
        limit=OUTPUT_LIMIT,
        view=launch.view,
    )
    reading = agent.read(Ended(done.exit_code, done.stdout, done.complaint()), ask, environ)
    session = Session(reading.told, joined(done.stdout))
    failure = _ended_by_us(agent.name, done, ask) or reading.failure
    if failure is not None:
        failure.partial = session
        raise failure
    return session


def _try(agent: Agent, launch: Launch, ask: Ask, children: Children, env: Mapping[str, str]) -> None:
    assert launch.trial is not None
    tried = children.run(list(launch.trial), cwd=ask.folder, env=env, timeout=PROBE_SECONDS, view=launch.view)
    if tried.exit_code != 0 or tried.timed_out:
        why = tried.tail() or f"exit code {tried.exit_code}"
        raise ReviewFailed("trial", f"{agent.name} cannot work here (docs/agents.md): {why}")


def _ended_by_us(name: str, done: Completed, ask: Ask) -> SessionFailed | None:
    """Why a program did not come to an end of its own; that says more than what its stream looks like then."""
    if done.timed_out:
        return SessionFailed("timeout", f"{name} took over {ask.timeout:g} s")
    if done.ended_for is not None:
        return SessionFailed("limit", f"{name}: {done.ended_for}")
    if done.stdout_total > len(done.stdout):
        return SessionFailed("output", f"{name} printed over {OUTPUT_LIMIT:,} bytes")
    return None
