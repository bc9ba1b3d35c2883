"""What it costs to start a child: by subprocess, by the supervisor, in the sandbox.

python -m benchmarks.children [--quick]
"""

from __future__ import annotations

import argparse
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.tables import spread, table
from pytest_reviewbench.contain.preflight import probe
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.sandbox import View

ROOT = Path("/")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.children", description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--quick", action="store_true", help="three times: does it work?")
    asked = parser.parse_args(argv)
    times = 3 if asked.quick else asked.times
    children = Children()
    children.sandbox = probe(children)
    rows = [
        ["subprocess.run", measured(by_subprocess, times)],
        ["supervisor", measured(lambda: children.run(["true"], cwd=ROOT, env={}, timeout=60), times)],
    ]
    if children.sandbox.program is not None:
        inside = View()
        rows.append(
            [
                f"supervisor, {children.sandbox.name}",
                measured(lambda: children.run(["true"], cwd=ROOT, env={}, timeout=60, view=inside), times),
            ]
        )
    children.close()
    print(table(["`true`, started by", "ms"], rows))
    return 0


def by_subprocess() -> None:
    subprocess.run(["true"], stdin=subprocess.DEVNULL, capture_output=True, check=True)


def measured(start: Callable[[], object], times: int) -> str:
    """Median, smallest and largest milliseconds of `times` starts, after one that is not counted."""
    start()
    spent = []
    for _ in range(times):
        begun = time.perf_counter()
        start()
        spent.append((time.perf_counter() - begun) * 1000)
    return spread(spent, 1)


if __name__ == "__main__":
    raise SystemExit(main())
