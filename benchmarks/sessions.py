"""One pytest session in a process of its own, timed from outside and from inside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.clock import FOLDER

ROOT = Path(__file__).parent.parent
NOT_MEASURED = ("randomly", "hypothesispytest", "timeout", "rerunfailures")
"""Plugins of the test environment; a user of this package need not have them."""


@dataclass(frozen=True, slots=True)
class Timed:
    """What a session took: seconds, and MB of the controller and of its largest worker (0: no workers)."""

    process: float
    session: float
    collection: float
    items: float
    peak: float
    worker_peak: float
    count: int


def run_session(folder: Path, arguments: Sequence[str], expected: int = 0) -> Timed:
    """`pytest ARGUMENTS` in `folder`. Raises `RuntimeError` with its output for another exit than `expected`."""
    with tempfile.TemporaryDirectory(prefix="clock") as clock:
        seconds = run_pytest(folder, ["-p", "benchmarks.clock", *arguments], {FOLDER: clock}, expected)
        said = {path.stem: json.loads(path.read_text()) for path in Path(clock).iterdir()}
    here = said.pop("controller")
    return Timed(
        process=seconds,
        session=here["session"],
        collection=here["collection"],
        items=here["items"],
        peak=here["peak"],
        worker_peak=max((worker["peak"] for worker in said.values()), default=0.0),
        count=int(max([here["count"], *(worker["count"] for worker in said.values())])),
    )


def run_pytest(folder: Path, arguments: Sequence[str], extra: Mapping[str, str], expected: int = 0) -> float:
    """Seconds of the process `pytest ARGUMENTS`, from its start to its end."""
    without = [word for name in NOT_MEASURED for word in ("-p", f"no:{name}")]
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *without, *arguments]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return run_timed(argv, folder, {**env, **extra, "PYTHONPATH": str(ROOT)}, expected)


def run_timed(argv: Sequence[str], folder: Path, env: Mapping[str, str], expected: int = 0) -> float:
    """Seconds of the process `argv`. Raises `RuntimeError` with its output for another exit than `expected`."""
    started = time.monotonic()
    done = subprocess.run(
        argv,
        check=False,
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    seconds = time.monotonic() - started
    if done.returncode != expected:
        raise RuntimeError(f"{' '.join(argv)}: exit {done.returncode}\n{done.stdout.decode(errors='replace')}")
    return seconds
