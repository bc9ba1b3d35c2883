"""What a child may use at most, laid on the minder that starts it, and inherited from there."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
from collections.abc import Mapping

SPARE = 4096
"""Threads that all children together may have, beside what their user has already."""

USUAL_SIGNALS = (signal.SIGPIPE, signal.SIGXFSZ)
"""Ignored in every Python process, and by what it starts unless told otherwise."""


def confine(limits: Mapping[str, int], threads: int | None) -> None:
    """Limits of this process, inherited by all it starts.

    `limits` are bytes and counts by name; `threads` is how many the user had before (None: not to be bounded).
    """
    for kind, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, limits["files"]),
        (resource.RLIMIT_FSIZE, limits["file_size"]),
        (resource.RLIMIT_DATA, limits["memory"]),
    ):
        _lower(kind, value)
    if threads is not None:
        _lower(resource.RLIMIT_NPROC, threads + SPARE)
    if sys.platform == "linux":
        try:  # when memory is short, end a child before the harness
            with open("/proc/self/oom_score_adj", "w") as file:
                file.write("1000")
        except OSError:
            pass


def _lower(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(kind, (value, value))


def threads_of_user() -> int | None:
    """How many threads this user has on the machine, as the kernel counts them; None for root, not counted."""
    user = os.geteuid()
    if user == 0 or sys.platform != "linux":
        return None
    count = 0
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == user:
                count += len(os.listdir(f"/proc/{name}/task"))
        except OSError:
            pass
    return count
