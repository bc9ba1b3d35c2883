"""What the benchmark adds to the reviews: many cases whose reviewer sleeps, against a bare thread pool.

    python -m benchmarks.overhead [--quick] [--json]

Each repetition runs, for each mode, the thread pool and the pytest session one after the other, in turns which
goes first; ratios are of such pairs. Then an idle pytest with the plugin against one without it.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.corpora import write_arms, write_corpus
from benchmarks.sessions import ROOT, Timed, run_pytest, run_session, run_timed
from benchmarks.tables import spread, table


@dataclasses.dataclass(frozen=True, slots=True)
class Mode:
    """One way to have `jobs` reviews in flight."""

    name: str
    jobs: int
    arguments: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    """A session and the thread pool that ran beside it."""

    session: Timed
    pool: Mapping[str, float]

    @property
    def ratio(self) -> float:
        return self.session.session / self.pool["session"]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.overhead", description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=1.0, help="how long the reviewer sleeps")
    parser.add_argument("--jobs", type=int, nargs="*", default=[8, 64], help="reviews in flight in one process")
    parser.add_argument("--workers", type=int, nargs="*", default=[8], help="values of -n")
    parser.add_argument("--sandbox", nargs="*", default=["none", "bwrap"], choices=["none", "bwrap"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--idle-repeats", type=int, default=15)
    parser.add_argument("--quick", action="store_true", help="10 cases, 0.1 s, once: does it work?")
    parser.add_argument("--json", action="store_true", help="print every measurement instead of tables")
    asked = parser.parse_args(argv)
    if asked.quick:
        asked.sandbox = ["none"]
        asked.cases, asked.seconds, asked.workers, asked.repeats, asked.idle_repeats = 10, 0.1, [2], 1, 1
    modes = []
    for sandbox in asked.sandbox:
        within = f"--reviewbench-sandbox={sandbox}"
        suffix = "" if sandbox == "none" else f", {sandbox}"
        modes += [Mode(f"{n} in flight{suffix}", n, (f"--reviewbench-jobs={n}", within)) for n in asked.jobs]
        modes += [Mode(f"-n {n}{suffix}", n, ("-n", str(n), within)) for n in asked.workers]
    with tempfile.TemporaryDirectory(prefix="overhead") as folder:
        pairs = measure_modes(Path(folder), modes, asked.cases, asked.seconds, asked.repeats)
        idle = measure_idle(Path(folder), asked.idle_repeats)
    if asked.json:
        print(json.dumps(as_json(asked, pairs, idle), indent=1, sort_keys=True))
    else:
        print(as_tables(pairs, idle))
    return 0


def measure_modes(
    folder: Path, modes: Sequence[Mode], cases: int, seconds: float, repeats: int
) -> dict[str, list[Pair]]:
    """The pairs of every mode, by its name."""
    command = ["sh", "-c", f"sleep {seconds}; echo '[]'"]
    write_corpus(folder, cases)
    write_arms(folder, ["sleeper"], command)
    pairs: dict[str, list[Pair]] = {mode.name: [] for mode in modes}
    for repeat in range(repeats):
        for mode in modes:
            print(f"{repeat + 1}/{repeats}: {mode.name}", file=sys.stderr, flush=True)
            if repeat % 2:
                session = review(folder, mode, cases)
                pool = run_pool(folder, mode.jobs, cases, command)
            else:
                pool = run_pool(folder, mode.jobs, cases, command)
                session = review(folder, mode, cases)
            pairs[mode.name].append(Pair(session, pool))
    return pairs


def review(folder: Path, mode: Mode, cases: int) -> Timed:
    """One session; every case must have been reviewed."""
    shutil.rmtree(folder / ".reviewbench", ignore_errors=True)
    timed = run_session(folder, ["--reviewbench-arm=sleeper", *mode.arguments])
    done = json.loads((folder / ".reviewbench" / "runs" / "report.json").read_text())
    used = done["arms"]["sleeper"]["numbers"]["used"]
    if used != cases:
        raise RuntimeError(f"{mode.name}: {used} of {cases} cases reviewed")
    return timed


def run_pool(folder: Path, jobs: int, cases: int, command: Sequence[str]) -> dict[str, float]:
    """The same commands without a benchmark: {process, session} in seconds, {peak} in MB."""
    out = folder / "pool.json"
    argv = [sys.executable, "-m", "benchmarks.pool", str(out), str(jobs), str(cases), *command]
    seconds = run_timed(argv, folder, dict(os.environ) | {"PYTHONPATH": str(ROOT)})
    said: dict[str, float] = json.loads(out.read_text())
    return said | {"process": seconds}


def measure_idle(folder: Path, repeats: int) -> dict[str, list[float]]:
    """Process seconds of pytest on one trivial test, with the plugin and without it, in turns."""
    idle = folder / "idle"
    idle.mkdir()
    (idle / "pytest.ini").write_text("[pytest]\n")
    (idle / "test_one.py").write_text("def test_one():\n    pass\n")
    seconds: dict[str, list[float]] = {"with": [], "without": []}
    for repeat in range(repeats + 1):
        for which in ("with", "without") if repeat % 2 else ("without", "with"):
            off = ["-p", "no:reviewbench"] if which == "without" else []
            took = run_pytest(idle, ["test_one.py", *off], {})
            if repeat:  # the first of each fills caches
                seconds[which].append(took)
    return seconds


def as_json(
    asked: argparse.Namespace, pairs: Mapping[str, Sequence[Pair]], idle: Mapping[str, Sequence[float]]
) -> Any:
    """Everything measured, in seconds and MB."""
    return {
        "cases": asked.cases,
        "seconds": asked.seconds,
        "modes": {
            name: [
                {"session": dataclasses.asdict(pair.session), "pool": pair.pool, "ratio": pair.ratio}
                for pair in measured
            ]
            for name, measured in pairs.items()
        },
        "idle": idle,
    }


def as_tables(pairs: Mapping[str, Sequence[Pair]], idle: Mapping[str, Sequence[float]]) -> str:
    """Medians with minimum and maximum."""
    rows = [
        [
            name,
            spread([p.pool["session"] for p in measured]),
            spread([p.session.session for p in measured]),
            spread([p.ratio for p in measured], 3),
            spread([p.session.items for p in measured]),
            spread([p.pool["process"] for p in measured]),
            spread([p.session.process for p in measured]),
            spread([p.session.peak for p in measured], 0),
            spread([p.session.worker_peak for p in measured], 0)
            if any(p.session.worker_peak for p in measured)
            else "-",
            spread([p.pool["peak"] for p in measured], 0),
        ]
        for name, measured in pairs.items()
    ]
    head = [
        "mode",
        "pool s",
        "session s",
        "ratio",
        "items s",
        "pool process s",
        "process s",
        "MB",
        "worker MB",
        "pool MB",
    ]
    starts = [[f"pytest {which} the plugin", spread(idle[which], 3), f"{min(idle[which]):.3f}"] for which in idle]
    return "\n\n".join([table(head, rows), table(["idle", "process s", "fastest"], starts)])


if __name__ == "__main__":
    raise SystemExit(main())
