"""What other packages may add to a benchmark."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_reviewbench.arms.protocol import Family


def pytest_reviewbench_families() -> Iterable[Family]:
    """Return arm families: ways to answer that this package does not ship.

    Called once, in every process, when a session is armed. A family is an object with the members of
    `pytest_reviewbench.arms.protocol.Family`; its arms are asked for by a table
    `[tool.reviewbench.arms.NAME]` with `family = "..."`, or by the family's own name when it needs no keys::

        # my_package/plugin.py, entry point in the group pytest11
        def pytest_reviewbench_families():
            from my_package.arm import Grep
            return [Grep()]

    A name that is taken is a usage error that names both.
    """
    return ()
