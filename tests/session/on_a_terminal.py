"""A session of pytest on a terminal of its own, and what a person sees there."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from pathlib import Path

from tests.screen import Screen

PATIENCE = 60
COLUMNS, ROWS = 100, 24


class Seen:
    """Everything that was ever on the screen, how it looks at the end, and the exit status."""

    def __init__(self) -> None:
        self.screen = Screen(ROWS, raw=True)
        self.ever: list[str] = []
        self.raw = ""
        self.status: int | None = None


def session(
    folder: Path, *args: str, environ: Mapping[str, str] | None = None, interrupt_at: str | None = None
) -> Seen:
    """`pytest ARGS` in `folder`; Ctrl-C is sent as soon as `interrupt_at` is on the screen."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (ROWS, COLUMNS))
    given = {name: value for name, value in os.environ.items() if name not in ("CI", "BUILD_NUMBER", "NO_COLOR")}
    child = subprocess.Popen(
        [sys.executable, "-m", "pytest", *args],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**given, "TERM": "xterm", **(environ or {})},
        start_new_session=True,
    )
    os.close(theirs)
    seen, pending = Seen(), ""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            data = os.read(ours, 65536)
        except OSError:  # so a terminal says that nobody has it open any more
            break
        if not data:
            break
        pending += data.decode()
        seen.raw += data.decode()
        whole = pending.rfind("\x1b8") + 2 if "\x1b" in pending[-12:] else len(pending)
        if whole >= 2:
            seen.screen.feed(pending[:whole])
            pending = pending[whole:]
        seen.ever.append(seen.screen.text())
        if interrupt_at is not None and interrupt_at in seen.ever[-1]:
            interrupt_at = None
            os.kill(child.pid, signal.SIGINT)
    os.close(ours)
    seen.status = child.wait(PATIENCE)
    return seen
