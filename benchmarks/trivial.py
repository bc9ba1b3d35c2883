"""The baseline of `collection` as a pytest plugin: a file > N collectors > M items, and nothing behind them.

Collects every `*.trivial` file; its text is "N M".
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> TrivialFile | None:
    return TrivialFile.from_parent(parent, path=file_path) if file_path.suffix == ".trivial" else None


class TrivialFile(pytest.File):
    def collect(self) -> Iterator[TrivialGroup]:
        groups, items = map(int, self.path.read_text().split())
        for n in range(groups):
            yield TrivialGroup.from_parent(self, name=f"py-{n:05}", items=items)


class TrivialGroup(pytest.Collector):
    def __init__(self, *, items: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._items = items

    def collect(self) -> Iterator[TrivialItem]:
        for n in range(self._items):
            yield TrivialItem.from_parent(self, name=f"arm-{n}")


class TrivialItem(pytest.Item):
    def runtest(self) -> None:
        pass
