"""A review is done once, by whoever needs it first.

The claim is a lock file in the run folder. Whoever holds the lock does the review or finds it done; the holder
waits for nobody, so nobody can wait in a circle. A free lock that says `claimed` without a record means that
its holder died: that review is `crashed`, and not tried again.
"""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Literal

from pytest_reviewbench.model import Review
from pytest_reviewbench.runs.folder import RunFolder

BEGUN = b"claimed\n"
"""The mark of a review that was begun; anything else says why one was not."""

Standing = Literal["open", "done", "abandoned", "running"]


@dataclass(slots=True)
class Claim:
    """A held lock. `standing` is what was found: `open` (do it), `done` (`record` holds it) or `abandoned`."""

    standing: Standing
    record: Review | None
    _file: IO[bytes]

    def withdraw(self, reason: str = "") -> None:
        """Give the review back as if it had never been started, with the `reason` for people why it was not."""
        self._file.truncate(0)
        self._file.write(reason.encode("utf-8", "replace"))  # an append, whatever the position is
        self._file.flush()


@contextlib.contextmanager
def claim(run: RunFolder, case: str) -> Iterator[Claim]:
    """Hold the lock of one review, waiting for another holder to finish, and leave a mark that it was begun."""
    path = run.claim_path(case)
    path.parent.mkdir(exist_ok=True)
    with open(path, "a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        record = run.review(case)
        file.seek(0)
        if record is not None:
            yield Claim("done", record, file)
        elif file.read() == BEGUN:
            yield Claim("abandoned", None, file)
        else:
            file.truncate(0)
            file.write(BEGUN)
            file.flush()  # no fsync: the mark outlives the death of a process, which is all it tells of
            yield Claim("open", None, file)


def standing(run: RunFolder, case: str) -> Standing:
    """What became of a review that has no record: `open`, `running` or `abandoned`. Waits for nobody."""
    try:
        with open(run.claim_path(case), "rb") as file:
            begun = file.read() == BEGUN
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return "open"
    except BlockingIOError:
        return "running"
    return "abandoned" if begun else "open"


def withdrawn(run: RunFolder, case: str) -> str | None:
    """Why a review that has no record was not begun, where somebody has left word."""
    try:
        said = run.claim_path(case).read_bytes()
    except FileNotFoundError:
        return None
    return said.decode("utf-8", "replace").strip() or None if said != BEGUN else None
