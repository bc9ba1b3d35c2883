"""All checks at once, in bounded time."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pytest_reviewbench.contain.environment import reviewer_environment
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.corpus.sources.cache import default_cache_root
from pytest_reviewbench.machine import (
    agents,
    analysers,
    containment,
    folders,
    interpreter,
    model_calls,
    packages,
    project,
    registries,
)
from pytest_reviewbench.machine.asking import ask_version
from pytest_reviewbench.machine.check import Check, Checkup, Found, Task
from pytest_reviewbench.redact import process_redactor

SECONDS = 60.0
GRACE = 3.0
"""Seconds that a check has to notice that its child was ended."""


def check_machine(folder: Path, environ: Mapping[str, str], *, offline: bool, seconds: float = SECONDS) -> Checkup:
    """Look at everything, for a session in `folder`. What has no answer after `seconds` is `broken`."""
    process_redactor()  # from the environment as it is now, whatever is loaded later
    children = Children()
    try:
        children.warm_up(1)
        checks = answered(list(_tasks(folder, environ, children, offline)), children, seconds)
    finally:
        children.close()
    checks.sort(key=lambda check: (check.group, check.name))
    usable = all(check.state == "usable" for check in checks if check.needed)
    return Checkup(usable=usable, offline=offline, checks=tuple(checks))


def answered(tasks: Sequence[Task], children: Children, seconds: float) -> list[Check]:
    """One check per task, each in a thread that this process does not wait for in the end."""
    deadline = time.monotonic() + seconds
    done: dict[int, Check] = {}

    def work(n: int, task: Task) -> None:
        check = task.done()
        if time.monotonic() < deadline:  # later it only says that its child was ended
            done[n] = check

    threads = [threading.Thread(target=work, args=each, daemon=True) for each in enumerate(tasks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    if any(thread.is_alive() for thread in threads):
        children.end_all()
        for thread in threads:
            thread.join(max(0.0, deadline + GRACE - time.monotonic()))
    late = Found("broken", detail=f"no answer within {seconds:g} s", advice="try again on a less busy machine")
    return [done.get(n) or task.told(late) for n, task in enumerate(tasks)]


def _tasks(folder: Path, environ: Mapping[str, str], children: Children, offline: bool) -> Iterator[Task]:
    here = project.read_project(folder)
    # What a session would hide from its reviewers, so that a program hidden with it shows now.
    hidden = [here.corpus, here.runs, default_cache_root(environ), folder]
    contained = containment.Containment(children, hidden)
    yield from interpreter.tasks()
    yield from packages.tasks(children, environ)
    yield from analysers.tasks(contained)
    yield from agents.tasks(contained, environ)
    yield from model_calls.tasks(environ)
    yield from containment.tasks(contained, needed=here.wants_sandbox)
    yield Task("git", "git", lambda: git(children, environ))
    yield from registries.tasks(children, environ, offline=offline)
    yield from folders.tasks(environ, here.runs)
    yield from project.tasks(here, children)


def git(children: Children, environ: Mapping[str, str]) -> Found:
    """Needed by cases of git repositories alone."""
    program = find_program("git")
    install = "install git by the system's package manager"
    if program is None:
        return Found("missing", advice=f"{install}; reviews do without it")
    return ask_version(
        children, program, environment=lambda home: reviewer_environment(home, environ),
        seconds=agents.SECONDS, install=install, contained=False,
    )  # fmt: skip
