"""`--reviewbench-dry-run`: everything is read and checked, nothing is fetched, started or written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_reviewbench.bases import given_base, with_bases
from pytest_reviewbench.collection import ReviewItem
from pytest_reviewbench.corpus.digest import corpus_sha256
from pytest_reviewbench.errors import ReviewbenchError
from pytest_reviewbench.launch import Selection
from pytest_reviewbench.report.forecast import forecast, forecast_table, totals
from pytest_reviewbench.report.terminal import table_lines

if TYPE_CHECKING:
    from pytest_reviewbench.bench import Bench


class DryRun:
    """A plugin in the place of pytest's loop, of xdist's, and of the ending."""

    def __init__(self, config: pytest.Config, bench: Bench) -> None:
        self._bench = bench
        self._selection: Selection | None = None
        spread = config.getoption("dist", "no") != "no"
        self._at_once = len(config.getoption("tx", None) or ()) if spread else 0
        if spread:
            config.option.dist = "no"  # no worker is needed to count; xdist looks at this later

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            return None  # pytest's own loop says so
        selection: dict[tuple[str, int], list[str]] = {}
        for item in session.items:
            if isinstance(item, ReviewItem):
                case, key = item.key
                selection.setdefault(key, []).append(case)
        self._selection = self._with_bases(selection)
        return True

    def _with_bases(self, selection: Selection) -> Selection:
        bench = self._bench
        if bench.settings.base is None:
            return with_bases(selection, bench.every_arm)
        try:
            given_base(bench.settings.base, selection, bench.every_arm, corpus_sha256(bench.corpus))
        except ReviewbenchError as e:
            raise pytest.UsageError(str(e)) from None
        return selection

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self._selection:
            return
        bench = self._bench
        lines = forecast(
            self._selection,
            bench.every_arm,
            [built.name for built in bench.arms],
            [verifier.id for verifier in bench.verifiers],
            bench.settings.runs,
        )
        terminalreporter.section("review benchmark: dry run, nothing was started")
        for line in table_lines(forecast_table(lines), every_row=True):
            terminalreporter.line(line)
        for line in totals(lines, self._at_once or bench.settings.jobs):
            terminalreporter.line(line)
