"""In a worker: notices that the controller is gone or has given up, which xdist tells only when a test ends."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

SECONDS = 0.25
"""Between two looks."""


def watch_controller(published: Callable[[], Path | None], end: Callable[[], None]) -> Callable[[], None]:
    """Call `end` once, from a thread, when the controller's process or its file is gone; returns what stops that.

    `published` is the file that stands as long as the session does (None: this process does not know it yet).
    """
    parent = os.getppid()
    stopped = threading.Event()

    def over() -> bool:
        file = published()
        return os.getppid() != parent or (file is not None and not file.exists())

    def look() -> None:
        while not stopped.wait(SECONDS):
            if over():
                end()
                return

    threading.Thread(target=look, name="controller-watch", daemon=True).start()
    return stopped.set
