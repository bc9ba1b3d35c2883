"""The numbers as suite properties of a JUnit file that another plugin writes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from pytest_reviewbench.report.document import Report


def suite_properties(report: Report) -> Iterator[tuple[str, str]]:
    """`reviewbench.<arm>.<number>` for every number, as JSON scalars (`null`: not measured)."""
    yield "reviewbench.corpus_sha256", report.corpus_sha256
    yield "reviewbench.split", report.split
    yield "reviewbench.partial", json.dumps(report.partial)
    for name, arm in report.arms.items():
        for number, value in arm.numbers.items():
            yield f"reviewbench.{name}.{number}", json.dumps(value)


def add_suite_properties(report: Report, plugins: Iterable[object]) -> None:
    """Hand the properties to whichever plugin collects them; there is none without --junitxml."""
    for plugin in plugins:
        add = getattr(plugin, "add_global_property", None)
        if callable(add):
            for name, value in suite_properties(report):
                add(name, value)
