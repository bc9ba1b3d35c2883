"""A worker that died during a review: the record, and the reports that the worker could not send."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_reviewbench.item_report import headline, review_properties
from pytest_reviewbench.model import Review

Recorder = Callable[[str], tuple[Review, str] | None]
"""Node id -> the review's record (made now) and how to do it again; None for an ordinary test."""


class CrashReports:
    """A plugin of the controller under xdist."""

    def __init__(self, config: pytest.Config, record: Recorder) -> None:
        self._config = config
        self._record = record
        self._crashed: set[str] = set()

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: pytest.TestReport) -> None:
        if recorded := self._record(crashitem):
            _describe(report, *recorded)
            self._crashed.add(crashitem)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.nodeid in self._crashed:
            self._crashed.discard(report.nodeid)
            self._config.hook.pytest_runtest_logreport(report=_teardown(report))


def _describe(report: pytest.TestReport, review: Review, hint: str) -> None:
    """Make xdist's report of a dead worker say what its review says."""
    report.user_properties = review_properties(review)
    report.location = (report.location[0], None, headline(review.case, review.arm, review.rep))
    report.longrepr = f"{report.longrepr}\n{hint}"


def _teardown(report: pytest.TestReport) -> pytest.TestReport:
    """The report that a dead worker did not send: JUnit and json-report read properties from no other."""
    end = pytest.TestReport(
        nodeid=report.nodeid,
        location=report.location,
        keywords=report.keywords,
        outcome="passed",
        longrepr=None,
        when="teardown",
        user_properties=report.user_properties,
    )
    end.node = report.node  # type: ignore[attr-defined]  # xdist's own
    return end
