"""What came of reading one document out of a text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Reading:
    """A document that begins at `start`. `cut`: its end is missing.

    Then `value` holds what was complete, and `partial` the item of a list in which it was cut. `damaged` items
    could not be read. `mends` says what is not JSON in it.
    """

    start: int
    end: int
    value: Any
    cut: bool = False
    partial: Any = None
    damaged: int = 0
    mends: set[str] = field(default_factory=set)


class Broken(Exception):
    """This is no document; `pos` is where that showed."""

    def __init__(self, pos: int) -> None:
        self.pos = pos
