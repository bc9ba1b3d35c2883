"""What a child may use at most."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one child and all that it starts.

    `memory` and `file_size` in bytes. `memory` bounds what its processes have together (looked at four times a
    second) and what each may ask for; `processes` counts threads where the kernel bounds them; `files` are open
    descriptors of one process. There are never core dumps.
    """

    memory: int = 4 << 30
    processes: int = 1024
    files: int = 4096
    file_size: int = 1 << 30


DEFAULT = Limits()
