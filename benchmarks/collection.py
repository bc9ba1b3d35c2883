"""What a large corpus costs before the first review: 10,000 cases × 4 arms, against as many trivial items.

    python -m benchmarks.collection [--quick] [--json]

Both sessions collect everything and then deselect everything (`-k`), so that no review runs and -n collects in
its workers as it would for a real session. The plugin reads and checks the whole corpus; the baseline, a custom
collector with the same tree of nodes, reads nothing.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.corpora import write_arms, write_corpus
from benchmarks.sessions import Timed, run_session
from benchmarks.tables import spread, table

NOTHING_SELECTED = 5


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.collection", description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--arms", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2, help="the value of -n")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="50 cases, once: does it work?")
    parser.add_argument("--json", action="store_true", help="print every measurement instead of a table")
    asked = parser.parse_args(argv)
    if asked.quick:
        asked.cases, asked.repeats = 50, 1
    with tempfile.TemporaryDirectory(prefix="collection") as folder:
        measured = measure(Path(folder), asked.cases, asked.arms, asked.workers, asked.repeats)
    if asked.json:
        modes = {name: [dataclasses.asdict(timed) for timed in all_] for name, all_ in measured.items()}
        print(json.dumps({"cases": asked.cases, "arms": asked.arms, "modes": modes}, indent=1, sort_keys=True))
    else:
        print(as_table(measured))
    return 0


def measure(folder: Path, cases: int, arms: int, workers: int, repeats: int) -> dict[str, list[Timed]]:
    """All sessions by what they are; plugin and baseline in turns."""
    names = [f"arm-{n}" for n in range(arms)]
    write_corpus(folder, cases)
    write_arms(folder, names, ["true"])
    (folder / "all.trivial").write_text(f"{cases} {arms}")
    sides = {
        "plugin": [f"--reviewbench-arm={name}" for name in names],
        "baseline": ["-p", "benchmarks.trivial", "all.trivial"],
    }
    modes = {"": [], f" -n {workers}": ["-n", str(workers)]}
    measured: dict[str, list[Timed]] = {side + mode: [] for mode in modes for side in sides}
    for repeat in range(repeats):
        for mode, more in modes.items():
            for side in sorted(sides, reverse=bool(repeat % 2)):
                print(f"{repeat + 1}/{repeats}: {side}{mode}", file=sys.stderr, flush=True)
                timed = run_session(folder, [*sides[side], *more, "-k", "nothing_has_this_name"], NOTHING_SELECTED)
                if timed.count != cases * arms:
                    raise RuntimeError(f"{side}{mode}: {timed.count} of {cases * arms} items collected")
                measured[side + mode].append(timed)
    return measured


def as_table(measured: Mapping[str, Sequence[Timed]]) -> str:
    """Medians with minimum and maximum."""
    rows = [
        [
            name,
            spread([t.process for t in all_]),
            spread([t.session for t in all_]),
            spread([t.peak for t in all_], 0),
            spread([t.worker_peak for t in all_], 0) if any(t.worker_peak for t in all_) else "-",
        ]
        for name, all_ in measured.items()
    ]
    return table(["", "process s", "session s", "MB", "worker MB"], rows)


if __name__ == "__main__":
    raise SystemExit(main())
