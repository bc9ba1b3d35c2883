"""One line below what pytest prints, drawn again and again, gone before anything else is printed there."""

from __future__ import annotations

import contextlib
import shutil
import threading
from collections.abc import Callable
from typing import Any

TICK = 0.25
"""Seconds between two drawings."""

ROOM = "\x1bD\x1bM"
"""One line down, which scrolls where there is none, and up again: the cursor keeps its column."""

BELOW = "\x1b7\x1b[1B\r\x1b[2K{}\x1b8"
"""Text on the next line, whatever stood there; the cursor comes back."""


class LiveLine:
    """Draws `text(width)` below the cursor of a terminal, from a thread of its own, while it is entered.

    `writer` is pytest's, of which every word goes through `write_raw`: before one does, the line is wiped, and the
    cursor has never left its place. So what pytest, xdist and other plugins print is what it would be without.
    Trouble with the line ends the line and nothing else.
    """

    def __init__(self, writer: Any, text: Callable[[int], str], tick: float = TICK) -> None:
        self._writer = writer
        self._text = text
        self._tick = tick
        self._write: Callable[..., None] = writer.write_raw
        self._lock = threading.RLock()
        self._shown = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._draw_on, name="reviewbench-progress", daemon=True)

    def __enter__(self) -> LiveLine:
        self._writer.write_raw = self._write_past
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        with self._lock:
            with contextlib.suppress(Exception):
                self._wipe()
            self._writer.write_raw = self._write
        self._thread.join(5 * self._tick)

    def draw(self) -> None:
        """Show the text of this moment, if it is another."""
        with self._lock:
            if self._over.is_set():
                return
            width = shutil.get_terminal_size().columns
            text = self._text(width - 1)
            if text != self._shown:
                self._write((ROOM if not self._shown else "") + BELOW.format(text), flush=True)
                self._shown = text

    def _draw_on(self) -> None:
        try:
            while not self._over.wait(self._tick):
                self.draw()
        except Exception:  # a terminal that went away, a text that failed: the reviews go on
            with contextlib.suppress(Exception):
                self._wipe()
            self._over.set()

    def _write_past(self, msg: str, *, flush: bool = False) -> None:
        with self._lock:
            with contextlib.suppress(Exception):
                self._wipe()
            self._write(msg, flush=flush)

    def _wipe(self) -> None:
        with self._lock:
            if self._shown:
                self._shown = ""
                self._write(BELOW.format(""), flush=True)
