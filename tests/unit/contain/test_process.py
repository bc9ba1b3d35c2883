"""The one way to start a child: it ends in time, leaves nothing behind, and says what it did."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.contain.process import Cancelled, Children, Completed
from pytest_reviewbench.errors import ReviewFailed


@pytest.fixture
def children() -> Iterator[Children]:
    made = Children()
    yield made
    made.close()


def python(children: Children, cwd: Path, script: str, **keys: Any) -> Completed:
    options: dict[str, Any] = {"timeout": 20.0, "env": {}} | keys
    return children.run([sys.executable, "-I", "-S", "-c", script], cwd=cwd, **options)


def shell(children: Children, cwd: Path, script: str, *words: str, **keys: Any) -> Completed:
    options: dict[str, Any] = {"timeout": 20.0, "env": {}} | keys
    return children.run(["/bin/sh", "-c", script, "sh", *words], cwd=cwd, **options)


def alive(pid: int) -> bool:
    """Is the process there, and not merely a zombie that nobody has waited for?"""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def gone(pid: int, seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not alive(pid)


def written(path: Path, seconds: float = 10) -> int:
    """The number that a child writes into `path`, waited for."""
    end = time.monotonic() + seconds
    while not (path.exists() and path.read_text().endswith("\n")):
        assert time.monotonic() < end
        time.sleep(0.01)
    return int(path.read_text())


def test_output_exit_code_folder_and_environment_are_as_asked(children: Children, tmp_path: Path) -> None:
    script = 'pwd; echo "$A"; echo oops >&2; exit 3'
    done = shell(children, tmp_path, script, env={"A": "b"})
    assert done.stdout.decode().splitlines() == [str(tmp_path.resolve()), "b"]
    assert (done.stderr, done.exit_code, done.timed_out) == (b"oops\n", 3, False)
    assert done.argv[:2] == ("/bin/sh", "-c")
    assert done.seconds > 0


def test_the_environment_is_only_what_was_given(
    children: Children, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "corpus::py-1")
    done = python(children, tmp_path, "import os; print(sorted(os.environ))", env={"A": "b"})
    assert b"PYTEST" not in done.stdout


def test_stdin_arrives_whole_and_is_closed(children: Children, tmp_path: Path) -> None:
    data = os.urandom(3 << 20)
    done = shell(children, tmp_path, "cat", stdin=data)
    assert done.stdout == data


def test_without_stdin_the_child_reads_the_end(children: Children, tmp_path: Path) -> None:
    assert shell(children, tmp_path, "cat; echo done").stdout == b"done\n"


@pytest.mark.parametrize("script", ["true", "exec <&-; sleep 0.2; echo late", "head -c 5"])
def test_a_big_stdin_that_nobody_reads_is_no_trouble(children: Children, tmp_path: Path, script: str) -> None:
    done = shell(children, tmp_path, script, stdin=b"x" * (4 << 20))
    assert (done.exit_code, done.timed_out) == (0, False)


def test_output_is_bounded_and_its_total_told(children: Children, tmp_path: Path) -> None:
    script = "import sys; sys.stdout.write('a' * 3_000_000); sys.stderr.write('b' * 2_000_000)"
    done = python(children, tmp_path, script, limit=1000)
    assert (done.stdout, done.stderr) == (b"a" * 1000, b"b" * 1000)
    assert (done.stdout_total, done.stderr_total) == (3_000_000, 2_000_000)


def test_output_of_exactly_the_limit_is_whole(children: Children, tmp_path: Path) -> None:
    done = shell(children, tmp_path, "printf 12345", limit=5)
    assert (done.stdout, done.stdout_total) == (b"12345", 5)


def test_endless_output_ends_with_the_time(children: Children, tmp_path: Path) -> None:
    done = shell(children, tmp_path, "yes", timeout=0.5, limit=10)
    assert (done.timed_out, done.stdout, done.exit_code) == (True, b"y\ny\ny\ny\ny\n", -signal.SIGKILL)
    assert done.stdout_total > 10


@pytest.mark.parametrize(
    "script",
    [
        "sleep 60",
        "trap '' TERM INT HUP; sleep 60 & wait",
        "exec >&- 2>&-; sleep 60",
        "exec <&- >&- 2>&-; sleep 60",
        "sleep 60 | sleep 60",
    ],
)
def test_a_child_whose_time_is_over_is_ended_and_says_so(children: Children, tmp_path: Path, script: str) -> None:
    done = shell(children, tmp_path, script, timeout=0.3)
    assert (done.timed_out, done.exit_code) == (True, -signal.SIGKILL)
    assert done.seconds < 30


def test_what_was_said_before_the_time_was_over_is_kept(children: Children, tmp_path: Path) -> None:
    done = shell(children, tmp_path, "echo early; sleep 60", timeout=0.5)
    assert (done.timed_out, done.stdout) == (True, b"early\n")


@pytest.mark.parametrize("timeout", [0.5, 20.0], ids=["late", "in time"])
def test_grandchildren_end_with_the_child(children: Children, tmp_path: Path, timeout: float) -> None:
    script = 'sleep 60 & echo $! > "$1"' + ("; sleep 60" if timeout < 1 else "")
    done = shell(children, tmp_path, script, str(tmp_path / "pid"), timeout=timeout)
    assert done.timed_out is (timeout < 1)
    assert gone(written(tmp_path / "pid"))


DAEMON = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        open(sys.argv[1], 'w').write(f'{os.getpid()}\\n')
        time.sleep(60)
    os._exit(0)
print('said', flush=True)
while not os.path.exists(sys.argv[1]): time.sleep(0.01)
"""


@pytest.mark.parametrize("ends", ["by itself", "by a signal", "when its time is over"])
def test_a_daemon_of_a_daemon_with_a_session_of_its_own_ends_with_the_child(
    children: Children, tmp_path: Path, ends: str
) -> None:
    last = {"by itself": "", "by a signal": "os.kill(os.getpid(), 9)", "when its time is over": "time.sleep(60)"}
    argv = [sys.executable, "-I", "-S", "-c", DAEMON + last[ends], str(tmp_path / "pid")]
    done = children.run(argv, cwd=tmp_path, env={}, timeout=1.5 if "time" in ends else 40)
    assert not alive(written(tmp_path / "pid"))  # it is gone before the run returns
    assert (done.stdout, done.timed_out) == (b"said\n", "time" in ends)
    assert done.leftovers == (0 if "time" in ends else 1)
    assert done.seconds < 10


def test_a_signal_is_a_negative_exit_code(children: Children, tmp_path: Path) -> None:
    assert shell(children, tmp_path, "kill -TERM $$").exit_code == -signal.SIGTERM
    assert shell(children, tmp_path, "kill -KILL $$").exit_code == -signal.SIGKILL


def test_a_child_that_kills_its_own_group_kills_nobody_else(children: Children, tmp_path: Path) -> None:
    assert shell(children, tmp_path, "kill -KILL 0").exit_code == -signal.SIGKILL


BAD: list[tuple[Sequence[str], str]] = [
    (["/nowhere/at-all"], "No such file"),
    (["/etc/passwd"], "Permission denied"),
    (["/"], "Permission denied"),
    (["/bin/echo", "a\0b"], "null byte"),
    (["/bin/echo", "x" * 3_000_000], "Argument list too long"),
]


@pytest.mark.parametrize(("argv", "said"), BAD, ids=[said for _, said in BAD[:-1]] + ["too long"])
def test_what_cannot_be_started_is_a_failed_review_of_kind_spawn(
    children: Children, tmp_path: Path, argv: Sequence[str], said: str
) -> None:
    with pytest.raises(ReviewFailed, match=said) as caught:
        children.run(argv, cwd=tmp_path, env={}, timeout=5)
    assert caught.value.kind == "spawn"
    assert len(str(caught.value)) <= 600


def test_a_folder_that_is_gone_is_a_failed_spawn(children: Children, tmp_path: Path) -> None:
    with pytest.raises(ReviewFailed, match="gone"):
        shell(children, tmp_path / "gone", "true")


def test_end_all_stops_what_runs_from_another_thread(children: Children, tmp_path: Path) -> None:
    ended: list[BaseException] = []

    def run(n: int) -> None:
        try:
            shell(children, tmp_path, 'sleep 60 & echo $! > "$1"; wait', str(tmp_path / str(n)), timeout=60)
        except BaseException as e:
            ended.append(e)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    pids = [written(tmp_path / str(n)) for n in range(4)]
    children.end_all()
    for thread in threads:
        thread.join(20)
    assert [type(e) for e in ended] == [Cancelled] * 4
    assert all(gone(pid) for pid in pids)


def test_after_end_all_nothing_is_started(children: Children, tmp_path: Path) -> None:
    children.end_all()
    children.end_all()
    with pytest.raises(Cancelled):
        shell(children, tmp_path, f"touch {tmp_path}/ran")
    assert not (tmp_path / "ran").exists()


def test_end_all_ends_a_wait_and_lets_none_begin(children: Children) -> None:
    children.pause(0)
    timer = threading.Timer(0.05, children.end_all)
    timer.start()
    for _ in range(2):
        with pytest.raises(Cancelled):
            children.pause(600)
    timer.join()


def test_an_interrupt_while_a_child_runs_ends_the_child(children: Children, tmp_path: Path) -> None:
    shell(children, tmp_path, "true")
    before = open_descriptors()
    ticker = threading.Timer(0.5, signal.pthread_kill, [threading.main_thread().ident, signal.SIGINT])
    ticker.start()
    with pytest.raises(KeyboardInterrupt):
        shell(children, tmp_path, 'echo $$ > "$1"; sleep 60', str(tmp_path / "pid"))
    assert not alive(written(tmp_path / "pid"))
    assert open_descriptors() <= before  # its minder is not used again


def open_descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def test_two_hundred_runs_leave_no_descriptor_and_no_zombie(children: Children, tmp_path: Path) -> None:
    shell(children, tmp_path, "true")
    before = open_descriptors()
    for n in range(200):
        if n % 4 == 0:
            with pytest.raises(ReviewFailed):
                children.run(["/nowhere"], cwd=tmp_path, env={}, timeout=5)
        elif n % 50 == 1:
            assert shell(children, tmp_path, "sleep 9", timeout=0.01).timed_out
        else:
            shell(children, tmp_path, "echo; exit 1", stdin=b"x" * (n % 3))
    assert open_descriptors() == before
    children.close()
    listed = subprocess.run(["ps", "-A", "-o", "ppid=,stat="], capture_output=True, text=True, check=True).stdout
    assert not [
        row for row in map(str.split, listed.splitlines()) if row[0] == str(os.getpid()) and row[1][0] == "Z"
    ]


def test_a_child_inherits_no_descriptor_of_this_process(children: Children, tmp_path: Path) -> None:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(descriptor, True)
    try:
        script = "import os; print([n for n in range(3, 100) if os.path.exists(f'/dev/fd/{n}') and n != 3])"
        done = python(children, tmp_path, script)
    finally:
        os.close(descriptor)
    assert done.stdout == b"[]\n"


def test_the_tail_is_the_end_of_stderr_or_else_of_stdout() -> None:
    blank: dict[str, Any] = {
        "argv": ("x",), "exit_code": 1, "timed_out": False, "stdout_total": 0, "stderr_total": 0, "seconds": 0.0,
    }  # fmt: skip
    assert Completed(stdout=b"out", stderr=b" \n", **blank).tail() == "out"
    assert Completed(stdout=b"out", stderr=b"a\xffb" + b"c" * 400, **blank).tail(5) == "ccccc"
    assert Completed(stdout=b"", stderr=b"a\xff\n", **blank).tail() == "a\ufffd"
