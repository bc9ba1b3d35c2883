"""The Python that runs reviews, and what it runs on."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator

from pytest_reviewbench.machine.check import Found, State, Task

OLDEST = (3, 11)
SYSTEMS = {"linux": "Linux", "darwin": "macOS"}


def tasks() -> Iterator[Task]:
    yield Task("python", "python", lambda: interpreter(sys.version_info[:2]), needed=True)
    yield Task("python", "virtual environment", lambda: environment(sys.prefix, sys.base_prefix))
    yield Task("python", "platform", lambda: system(sys.platform), needed=True)


def interpreter(version: tuple[int, ...]) -> Found:
    state: State = "usable" if version >= OLDEST else "broken"
    oldest = ".".join(map(str, OLDEST))
    return Found(state, platform.python_version(), (sys.executable,), advice=f"install Python {oldest} or newer")


def environment(prefix: str, base: str) -> Found:
    if prefix != base:
        return Found("usable", detail=prefix)
    return Found(
        "limited", detail="packages go to the Python of the system", advice="make one: python3 -m venv .venv"
    )


def system(name: str) -> Found:
    detail = f"{platform.system()} {platform.machine()}, {platform.release()}"
    state: State = "usable" if name in SYSTEMS else "broken"
    return Found(state, detail=detail, advice=f"use {' or '.join(SYSTEMS.values())}")
