"""What pytest captured while a review ran: shown, and written to JUnit, without secrets.

A child's output never gets there; an arm of another package may print or log in this very process.
"""

from __future__ import annotations

from collections.abc import Generator

import pytest

from pytest_reviewbench.collection import ReviewItem
from pytest_reviewbench.redact import redacted


class CapturedText:
    """A plugin of every process that reviews."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if isinstance(item, ReviewItem):
            report.sections = [(name, redacted(said)) for name, said in report.sections]
            if report.failed and redacted(said := str(report.longrepr)) != said:
                report.longrepr = redacted(said)
        return report
