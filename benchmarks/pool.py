"""The baseline of `overhead`: a command N times under `concurrent.futures`, and nothing else.

    python -m benchmarks.pool OUT JOBS TIMES COMMAND...

Writes {"session", "peak"} to OUT: seconds from the making of the pool to its end, MB of this process. In the
time: threads, starting each command, reading its output to the end, waiting for it. Not in it: what a
benchmark adds (workspace, claim, matcher, records, report).
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.memory import peak_megabytes


def main(out: str, jobs: str, times: str, *command: str) -> None:
    def once(_: int) -> bytes:
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, start_new_session=True, check=True
        ).stdout

    started = time.monotonic()
    with ThreadPoolExecutor(int(jobs)) as pool:
        answers = list(pool.map(once, range(int(times))))
    seconds = time.monotonic() - started
    assert all(answers)
    Path(out).write_text(json.dumps({"session": seconds, "peak": peak_megabytes()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
