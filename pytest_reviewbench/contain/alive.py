"""Files whose locks say that a process lives: what it left beside them goes when it does not any more."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from pathlib import Path


def hold(path: Path) -> int | None:
    """Make the file `path` and lock it until the descriptor is closed or this process ends, however that comes.

    None: somebody has it, or has taken it for a dead one's in between. Raises `OSError`.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_nlink:
            return descriptor
    except BlockingIOError:
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def dead(locks: Iterable[Path]) -> Iterator[Path]:
    """Those of `locks` whose processes are gone, each held while it is looked at and removed after that."""
    for lock in locks:
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield lock
            lock.unlink(missing_ok=True)
        except OSError:
            pass  # its process lives
        finally:
            os.close(descriptor)
