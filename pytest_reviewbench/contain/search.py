"""Regexes of a corpus, run where they cannot hold the session up.

Python's regex engine cannot be interrupted from another thread and holds the interpreter while it searches, so
a hostile pattern would stop everything. One child process per session answers instead, a second at most each.
"""

from __future__ import annotations

import contextlib
import json
import select
import subprocess
import sys
import threading
from pathlib import Path

from pytest_reviewbench.errors import CorpusError, ReviewbenchError

SECONDS = 1.0
"""A regex that works longer on one text is an error of the corpus."""

STUCK = 20.0

_CHILD = Path(__file__).with_name("search_child.py")


class Searcher:
    """Answers `re.search(pattern, text, re.IGNORECASE)` in bounded time, from any thread. Close it after use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def search(self, pattern: str, text: str) -> bool:
        """Does `pattern` occur in `text`, letter case aside?

        Raises `CorpusError` for a pattern that does not compile or takes over a second on this text.
        """
        question = json.dumps([pattern, text, SECONDS]).encode() + b"\n"
        with self._lock:
            said = self._ask(question)
        if isinstance(said, bool):
            return said
        if said == "late":
            raise CorpusError(f"the regex takes over {SECONDS:g} s on one text; remove nested repetition")
        raise CorpusError(f"the regex does not compile: {said.removeprefix('bad ')}")

    def close(self) -> None:
        """End the child. A later `search` starts a new one."""
        with self._lock:
            self._end()

    def _ask(self, question: bytes) -> bool | str:
        if self._child is not None and self._child.poll() is not None:
            self._end()  # somebody ended it: that says nothing of this question
        child = self._child or self._start()
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.write(question)
            child.stdin.flush()
            # The child bounds itself; this is for one that is stuck all the same (a compile in C, swapping), not
            # one that is slow to start on a busy machine.
            waiting = select.poll()
            waiting.register(child.stdout, select.POLLIN)
            answer = child.stdout.readline() if waiting.poll(STUCK * 1000) else b""
        except OSError:
            answer = b""
        if not answer:
            self._end()
            return "late"
        said: bool | str = json.loads(answer)
        return said

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            self._child = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_CHILD)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={},
                start_new_session=True,
            )
        except OSError as e:
            raise ReviewbenchError(f"cannot start {sys.executable} to run the matcher: {e}") from None
        return self._child

    def _end(self) -> None:
        if self._child is not None:
            self._child.kill()
            for pipe in (self._child.stdin, self._child.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
            self._child.wait()
            self._child = None
