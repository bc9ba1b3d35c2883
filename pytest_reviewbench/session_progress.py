"""What a session says of itself while it runs: how many reviews are done, what they hit and cost, how long yet.

On a terminal in one line that replaces itself, else in a line now and then. Only the controller says it. What it
says of reviews comes from their records, and holds numbers alone.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_reviewbench.live_line import LiveLine
from pytest_reviewbench.model import TWIN
from pytest_reviewbench.report.progress import NowAndThen, Progress
from pytest_reviewbench.scoring.spending import STARTED

if TYPE_CHECKING:
    from pytest_reviewbench.bench import Bench

WIDTH = 100
"""Of a line that is no terminal's."""


class SessionProgress:
    """A plugin. Nothing that goes wrong here is the session's trouble: then it says no more."""

    def __init__(self, config: pytest.Config, bench: Bench, clock: Callable[[], float] = time.monotonic) -> None:
        self._config = config
        self._bench = bench
        self._clock = clock
        self._quiet = config.get_verbosity() < 0
        self._lines = NowAndThen(clock())
        self._live = False
        self._progress: Progress | None = None
        self._seen: set[tuple[str, str, int]] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Iterator[None]:
        self._begin()
        with self._shown():
            return (yield)

    @pytest.hookimpl(trylast=True, optionalhook=True)
    def pytest_xdist_node_collection_finished(self) -> None:
        self._begin()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        said = dict(report.user_properties)
        if not self._quiet and self._progress is not None and "reviewbench.status" in said:
            try:
                if self._count(said):
                    self._say()
            except Exception:
                self._quiet = True

    @contextlib.contextmanager
    def judging(self, cases: int) -> Iterator[Callable[[int, int, str], None]]:
        """While it is entered, `cases` are judged; gives a callback `(done, total, name)`."""
        at_once, now = self._at_once(cases), self._clock()
        progress = Progress(total=cases, at_once=at_once, began=now, what="cases judged", last=now)
        self._progress = progress

        def judged(done: int, total: int, name: str) -> None:
            nonlocal progress
            self._progress = progress = progress.counted(self._clock(), done)
            self._say()

        with self._shown():
            yield judged

    def _begin(self) -> None:
        """As soon as it is known how many reviews there are."""
        asked = self._bench.asked
        if self._progress is None and asked:
            self._progress = Progress(total=asked, at_once=self._at_once(asked), began=self._clock())

    def _at_once(self, all_of_them: int) -> int:
        return max(1, min(self._bench.jobs, all_of_them))

    def _count(self, said: dict[str, Any]) -> bool:
        """Is it one more?"""
        assert self._progress is not None
        arm, rep, case = said["reviewbench.arm"], said["reviewbench.rep"], said["reviewbench.case"]
        run = self._bench.runs.get((arm, rep))
        if run is None or (arm, case, rep) in self._seen:  # the report of another phase, or sent again
            return False
        self._seen.add((arm, case, rep))
        review, matches = run.review(case), run.matches(case)
        if review is None or review.status not in STARTED:
            self._progress = self._progress.finished(self._clock(), None)
            return True
        used = review.status == "ok" and not review.tainted and not case.endswith(TWIN)
        counts = matches if used and matches is not None and not matches.judged_only else None
        self._progress = self._progress.finished(
            self._clock(),
            review.seconds,
            bugs=len(counts.bugs) if counts else 0,
            hit=len({bug for bugs in counts.hits.values() for bug in bugs}) if counts else 0,
            started=True,
            cost_usd=review.cost_usd,
        )
        return True

    def _say(self) -> None:
        """A line, where there is no terminal whose line replaces itself, and the last one is long ago."""
        progress, now = self._progress, self._clock()
        if self._quiet or self._live or progress is None or progress.done >= progress.total:
            return
        if self._lines.due(now):
            self._bench.write_line(progress.line(WIDTH, now))

    def _text(self, width: int) -> str:
        progress = self._progress
        return "" if progress is None else progress.line(width, self._clock())

    @contextlib.contextmanager
    def _shown(self) -> Iterator[None]:
        writer = None if self._quiet else terminal_of(self._config)
        if writer is None:
            yield
            return
        self._live = True
        try:
            with LiveLine(writer, self._text):
                yield
        finally:
            self._live = False


def terminal_of(config: pytest.Config) -> Any | None:
    """The writer of pytest's terminal, where a line can be drawn below what it prints, and nobody else prints.

    None for a pipe, a terminal that cannot move its cursor, and a service that keeps what is printed as a file.
    """
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not reporter.isatty or os.environ.get("TERM", "dumb") in ("", "dumb"):
        return None
    if os.environ.get("CI") or os.environ.get("BUILD_NUMBER"):  # as pytest knows them
        return None
    if config.getoption("capture") == "no" or config.getoption("usepdb"):
        return None
    writer: Any = config.get_terminal_writer()
    return writer if callable(getattr(writer, "write_raw", None)) else None
