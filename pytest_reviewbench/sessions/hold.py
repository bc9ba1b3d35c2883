"""Holds one session: an agent's program, its prompt through stdin, its event stream kept and read."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path

from pytest_reviewbench.contain.environment import reviewer_environment
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.errors import ReviewFailed
from pytest_reviewbench.sessions.protocol import Agent, Ask, Ended, Probe, Session, SessionFailed

OUTPUT_LIMIT = 64 << 20
PROBE_SECONDS = 60.0
VERSION = re.compile(rb"\d+\.\d+[\w.+-]*")


def probe(agent: Agent, children: Children, home: Path, environ: Mapping[str, str]) -> Probe | None:
    """What the agent's program is here; None when it is not installed. Spends nothing.

    `home` is an empty folder that serves as HOME. Raises `ReviewFailed` when it does not say its version.
    """
    program = find_program(agent.name)
    if program is None:
        return None
    env = reviewer_environment(home, environ)
    said = [
        children.run([program, flag], cwd=home, env=env, timeout=PROBE_SECONDS) for flag in ("--version", "--help")
    ]
    found = VERSION.search(said[0].stdout) if said[0].exit_code == 0 else None
    if found is None:
        raise ReviewFailed("spawn", f"{program} --version: exit code {said[0].exit_code}: {said[0].tail()}")
    flags = agent.flags((said[1].stdout + said[1].stderr).decode("utf-8", "replace"))
    return Probe(program, found[0].decode(), flags)


def hold(agent: Agent, probed: Probe, ask: Ask, children: Children, environ: Mapping[str, str]) -> Session:
    """Hold the session that `ask` describes.

    Raises `SessionFailed` with everything that is known of it (stream, usage, cost), `ReviewFailed` when it could
    not be started, and `Cancelled`.
    """
    done = children.run(
        list(agent.command(probed, ask)),
        cwd=ask.folder,
        env={**reviewer_environment(ask.home, environ), **agent.environment(ask, environ)},
        timeout=ask.timeout,
        stdin=ask.prompt.encode("utf-8", "replace"),
        limit=OUTPUT_LIMIT,
        view=agent.view(ask),
    )
    ended = Ended(done.exit_code, done.stdout, done.stderr, done.timed_out)
    try:
        if done.ended_for is not None:
            raise SessionFailed("limit", f"{agent.name}: {done.ended_for}")
        if done.stdout_total > len(done.stdout):
            raise SessionFailed("output", f"{agent.name} printed over {OUTPUT_LIMIT:,} bytes")
        told = agent.read(ended, ask)
    except SessionFailed as e:
        e.partial = dataclasses.replace(e.partial, transcript=done.stdout) if e.partial else None
        raise
    return Session(told, done.stdout)
