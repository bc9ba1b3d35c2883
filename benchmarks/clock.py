"""A pytest plugin (`-p benchmarks.clock`) that writes down what each process of a session took.

One file per process in the folder $BENCHMARK_CLOCK, `controller.json` or `gw0.json`, ...:

    session     seconds from pytest_sessionstart to the end of pytest_sessionfinish: what pytest prints as
                "in 4.1s". Not in it: the interpreter, imports, and what plugins do in pytest_configure
                (the corpus is read there); all of that is in the time of the process
    collection  seconds of pytest_collection
    items       seconds of pytest_runtestloop
    peak        largest resident set, in MB
    count       items collected, before any are deselected
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.memory import peak_megabytes

FOLDER = "BENCHMARK_CLOCK"


def pytest_configure(config: pytest.Config) -> None:
    workerinput = getattr(config, "workerinput", None)
    name = "controller" if workerinput is None else workerinput["workerid"]
    config.pluginmanager.register(Clock(Path(os.environ[FOLDER], f"{name}.json")), "benchmark_clock")


class Clock:
    """The times of one process."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._started = 0.0
        self._said: dict[str, float] = {"collection": 0.0, "items": 0.0, "count": 0}

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        self._started = time.monotonic()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection(self) -> Iterator[None]:
        started = time.monotonic()
        try:
            return (yield)
        finally:
            self._said["collection"] = time.monotonic() - started

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self._said["count"] = len(items)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Iterator[None]:
        started = time.monotonic()
        try:
            return (yield)
        finally:
            self._said["items"] = time.monotonic() - started

    @pytest.hookimpl(tryfirst=True)
    def pytest_unconfigure(self) -> None:
        ended = time.monotonic()
        times = self._said | {"session": ended - self._started, "peak": peak_megabytes()}
        self._place.write_text(json.dumps(times))
