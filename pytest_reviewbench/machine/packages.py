"""pytest, the plugins that matter to a review session, and whether pytest knows this plugin."""

from __future__ import annotations

import importlib.metadata
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from pytest_reviewbench.contain.environment import reviewer_environment
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.machine.check import Found, Task

OWN = "pytest-reviewbench"
NEEDED = ("pytest", "pytest-json-report", "pytest-xdist")
OPTIONAL = {
    "pytest-randomly": "items run in random order; no number depends on it",
    "pytest-rerunfailures": "a rerun reports the stored review again",
    "pytest-timeout": "switched off for reviews, which have a time limit of their own",
}
STEERING = ("PYTEST_ADDOPTS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "PYTEST_PLUGINS", "PYTHONPATH")
SECONDS = 30.0


def tasks(children: Children, environ: Mapping[str, str]) -> Iterator[Task]:
    for name in NEEDED:
        yield Task("pytest", name, lambda name=name: required(name), needed=True)  # type: ignore[misc]
    for name, effect in OPTIONAL.items():
        yield Task("pytest", name, lambda name=name, effect=effect: optional(name, effect))  # type: ignore[misc]
    yield Task("pytest", OWN, lambda: registered(children, environ), needed=True)


def required(name: str) -> Found:
    """A package that this one depends on, in a version that it accepts."""
    floor = _floor(name)
    install = f"{sys.executable} -m pip install '{name}>={floor}'"
    version = _version(name)
    if version is None:
        return Found("missing", advice=install)
    runs = _pytest() if name == "pytest" else None
    if _numbers(version) < _numbers(floor):
        return Found("broken", version, runs, detail=f"{floor} or newer is needed", advice=install)
    return Found("usable", version, runs)


def optional(name: str, effect: str) -> Found:
    version = _version(name)
    if version is None:
        return Found("missing", advice=f"nothing, it is optional: pip install {name}")
    return Found("usable", version, detail=effect)


def registered(children: Children, environ: Mapping[str, str]) -> Found:
    """Asks pytest itself, as the user's sessions start it, whether it has the options of this plugin."""
    runs = _pytest()
    version = _version(OWN)
    with tempfile.TemporaryDirectory(prefix="ws") as folder:
        home = Path(folder)
        env = reviewer_environment(home, environ) | {"PYTHONDONTWRITEBYTECODE": "1"}
        env |= {name: environ[name] for name in STEERING if name in environ}
        done = children.run(
            [*runs, "--help", "-p", "no:cacheprovider"], cwd=home, env=env, timeout=SECONDS, limit=4 << 20
        )
    if b"--reviewbench-arm" in done.stdout:
        return Found("usable", version, (*runs, "--reviewbench-arm", "tools"))
    if done.timed_out:
        why = f"pytest --help did not end within {SECONDS:g} s"
    elif done.exit_code:
        why = f"pytest --help ended with exit code {done.exit_code}: {done.tail()}"
    else:
        why = "pytest does not know --reviewbench-arm: the plugin is not registered, or switched off"
    steering = [name for name in STEERING if environ.get(name)]
    advice = f"look at {', '.join(steering)}" if steering else f"{sys.executable} -m pip install {OWN}"
    return Found("broken", version, runs, detail=why, advice=advice)


def _pytest() -> tuple[str, ...]:
    """The pytest of this interpreter, as a user would start it."""
    script = find_program("pytest")
    beside = script is not None and os.path.dirname(script) == os.path.dirname(sys.executable)  # noqa: PTH120
    return (script,) if script is not None and beside else (sys.executable, "-m", "pytest")


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _floor(name: str) -> str:
    """The oldest version that this package's own metadata accepts."""
    for line in importlib.metadata.requires(OWN) or ():
        if found := re.match(rf"{re.escape(name)}\s*>=\s*([\d.]+)", line):
            return found[1]
    return "0"


def _numbers(version: str) -> tuple[int, ...]:
    found = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(part) for part in found[0].split(".")] if found else [0]
    while len(numbers) > 1 and not numbers[-1]:  # 9.0 is 9
        numbers.pop()
    return tuple(numbers)
