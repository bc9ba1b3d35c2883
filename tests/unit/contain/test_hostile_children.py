"""Children that mean harm: whatever they do, they end, nothing of them is left, and this process stays well."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.contain.limits import Limits
from pytest_reviewbench.contain.preflight import probe
from pytest_reviewbench.contain.process import Children, Completed
from pytest_reviewbench.contain.sandbox import View

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who is below whom")


@pytest.fixture
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files that nobody else uses: in the usual one other tests come and go."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


@pytest.fixture(params=["none", "bwrap"])
def children(request: pytest.FixtureRequest, temporary: Path) -> Iterator[Children]:
    made = Children()
    if request.param == "bwrap":
        made.sandbox = probe(made)
        if made.sandbox.program is None:
            made.close()
            pytest.skip(f"no sandbox on this machine: {made.sandbox.reason}")
    yield made
    made.close()


def run(children: Children, folder: Path, script: str, *words: str, **keys: Any) -> Completed:
    argv = [sys.executable, "-I", "-S", "-c", script, *words]
    options: dict[str, Any] = {"timeout": 60.0, "env": {}, "view": View(writable=(folder,))} | keys
    return children.run(argv, cwd=folder, **options)


def survivors(marker: str) -> list[int]:
    """Processes that have `marker` among their arguments and are not merely waited for."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line, state = (
                (entry / "cmdline").read_bytes(),
                (entry / "stat").read_text().rpartition(")")[2].split()[0],
            )
        except OSError:
            continue
        if marker.encode() in line and state != "Z" and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found


def descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def test_a_gibibyte_of_output_is_counted_and_not_kept(children: Children, tmp_path: Path) -> None:
    before = peak_megabytes()
    script = "import os\nfor _ in range(1024): os.write(1, b'x' * 1048576)"
    done = run(children, tmp_path, script, limit=1 << 20)
    assert (done.exit_code, done.stdout_total, len(done.stdout)) == (0, 1 << 30, 1 << 20)
    assert peak_megabytes() - before < 64


def test_a_million_lines_arrive(children: Children, tmp_path: Path) -> None:
    done = run(children, tmp_path, "for n in range(1_000_000): print(n)")
    assert done.stdout.count(b"\n") == 1_000_000
    assert done.stdout.endswith(b"\n999999\n")


def test_bytes_that_are_no_text_arrive_as_they_are_and_are_told_as_text(children: Children, tmp_path: Path) -> None:
    done = run(children, tmp_path, "import os; os.write(1, bytes(range(256))); os.write(2, b'\\xff\\xfe\\0')")
    assert done.stdout == bytes(range(256))
    assert "�" in done.tail()


def test_twenty_mebibytes_that_nobody_reads_are_no_trouble(children: Children, tmp_path: Path) -> None:
    done = run(children, tmp_path, "pass", stdin=b"x" * (20 << 20))
    assert (done.exit_code, done.timed_out) == (0, False)


DAEMONS = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            while True: time.sleep(1)
        os._exit(0)
print("said", flush=True)
time.sleep(float(sys.argv[2]))
"""


@LINUX
@pytest.mark.parametrize(("sleep", "timeout"), [("0.2", 60.0), ("60", 3.0)], ids=["ends", "is ended"])
def test_daemons_that_hold_the_streams_and_ignore_signals_end_with_it(
    children: Children, tmp_path: Path, sleep: str, timeout: float
) -> None:
    done = run(children, tmp_path, DAEMONS, str(tmp_path), sleep, timeout=timeout)
    assert survivors(str(tmp_path)) == []
    assert (done.stdout, done.timed_out) == (b"said\n", timeout == 3.0)
    assert done.seconds < 30


@LINUX
def test_a_fork_bomb_is_ended_for_its_number(children: Children, tmp_path: Path) -> None:
    script = "import os, sys, time\nwhile True:\n try: os.fork()\n except OSError: time.sleep(0.1)"
    done = run(children, tmp_path, script, str(tmp_path), limits=Limits(processes=100))
    assert done.exceeded == "processes"
    assert done.ended_for is not None
    assert survivors(str(tmp_path)) == []
    assert run(children, tmp_path, "print('well')").stdout == b"well\n"


@LINUX
def test_memory_that_grows_in_one_process_is_refused_to_it(children: Children, tmp_path: Path) -> None:
    done = run(children, tmp_path, "x = bytearray(800 << 20)", limits=Limits(memory=400 << 20))
    assert done.exit_code == 1
    assert b"MemoryError" in done.stderr


@LINUX
def test_memory_that_grows_over_many_processes_is_ended_for_its_size(children: Children, tmp_path: Path) -> None:
    script = "import os, time\nfor _ in range(3): os.fork()\nx = b'x' * (100 << 20)\ntime.sleep(60)"
    done = run(children, tmp_path, script, str(tmp_path), limits=Limits(memory=400 << 20))
    assert done.exceeded == "memory"
    assert survivors(str(tmp_path)) == []
    assert 300 << 20 < done.peak_memory < 2 << 30


@pytest.mark.parametrize(
    ("script", "code"), [("raise SystemExit(7)", 7), ("import os; os.kill(os.getpid(), 11)", 11)]
)
def test_exit_codes_and_signals_are_told(children: Children, tmp_path: Path, script: str, code: int) -> None:
    signalled = 128 + code if children.sandbox.program else -code
    assert run(children, tmp_path, script).exit_code == (signalled if code == 11 else code)
    assert not list(tmp_path.glob("core*"))


def test_what_it_cost_is_told(children: Children, tmp_path: Path) -> None:
    script = (
        "x = b'x' * (80 << 20)\nimport time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
    )
    done = run(children, tmp_path, script)
    assert 0.3 <= done.cpu_seconds < 5
    assert 80 << 20 <= done.peak_memory < 200 << 20


def test_a_hundred_in_a_row_leave_no_descriptor_no_process_and_no_folder(
    children: Children, tmp_path: Path, temporary: Path
) -> None:
    run(children, tmp_path, "pass")
    before = descriptors(), sorted(temporary.iterdir())
    for n in range(100):
        run(children, tmp_path, f"import sys; sys.stdin.read(); raise SystemExit({n})", str(tmp_path), stdin=b"x")
    assert (descriptors(), sorted(temporary.iterdir())) == before
    assert survivors(str(tmp_path)) == []


HARNESS = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from pytest_reviewbench.contain.preflight import probe
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.sandbox import View
children = Children()
if sys.argv[2] == "bwrap":
    children.sandbox = probe(children)
folder = Path(sys.argv[1])
script = "trap '' TERM; (setsid sleep 300 &); touch $1/$2; sleep 300; true"
def one(n):
    argv = ["/bin/sh", "-c", script, "sh", str(folder), f"{n}"]
    children.run(argv, cwd=folder, env={}, timeout=600, view=View(writable=(folder,)))
with ThreadPoolExecutor(64) as pool:
    list(pool.map(one, range(64)))
"""


@LINUX
def test_sixty_four_in_flight_are_gone_two_seconds_after_the_harness_was_killed(
    children: Children, tmp_path: Path
) -> None:
    mode = "bwrap" if children.sandbox.program else "none"
    harness = subprocess.Popen([sys.executable, "-c", HARNESS, str(tmp_path), mode])
    end = time.monotonic() + 60
    while len(list(tmp_path.iterdir())) < 64:
        assert time.monotonic() < end
        assert harness.poll() is None
        time.sleep(0.05)
    harness.kill()
    harness.wait()
    time.sleep(2)
    assert survivors(str(tmp_path)) == []
