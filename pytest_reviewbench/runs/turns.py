"""Who verifies a run at the moment: one at a time per run and verifier, for two at once would both pay.

The lock of a run is a file that nobody removes; it is free as soon as its holder is gone, however it ended.
"""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Callable, Iterable, Iterator

from pytest_reviewbench.errors import RunError
from pytest_reviewbench.runs.folder import RunFolder

FOLDER = ".verifying"


@contextlib.contextmanager
def one_at_a_time(
    runs: Iterable[RunFolder], verifiers: Iterable[str], say: Callable[[str], None]
) -> Iterator[None]:
    """Hold the locks of all `runs` for all `verifiers` (ids), waiting for other holders after a line through `say`.

    What is missing must be found out while they are held. All take them in the same order, so none waits for ever.
    Raises `RunError`.
    """
    wanted = sorted({(str(run.path.resolve()), verifier) for run in runs for verifier in verifiers})
    by_path = {str(run.path.resolve()): run for run in runs}
    with contextlib.ExitStack() as held:
        for path, verifier in wanted:
            place = by_path[path].path / FOLDER / verifier
            try:
                place.parent.mkdir(exist_ok=True)
                file = held.enter_context(open(place, "ab"))
            except OSError as e:
                raise RunError(f"{place}: cannot be written: {e.strerror}") from None
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say(f"reviewbench: another process is verifying {by_path[path].name} by {verifier}; waiting for it")
                fcntl.flock(file, fcntl.LOCK_EX)
        yield
