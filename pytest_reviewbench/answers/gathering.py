"""What a document of another tool comes to: items for `normalise`, and word of all that is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_reviewbench.errors import FormatError

GROWTH, SLACK = 2, 100_000
MOST, MOST_SAID = 50_000, 100


@dataclass(frozen=True, slots=True)
class Parsed:
    """Items in the shape that `normalise` takes, in the order of the document, and a line per decision."""

    items: tuple[Mapping[str, Any], ...]
    warnings: tuple[str, ...] = ()


class Gathering:
    """Takes what a document holds, one `noun` (`result`, `comment`) after the other.

    `size` is that of the document in bytes. What is shared in it (a message that thousands of results name) may
    make it grow in reading, to `GROWTH` times its size and `SLACK`: more is refused, and so are over `MOST`.

    What is said about one is in words of ours, never in those of the document.
    """

    def __init__(self, where: str, noun: str, size: int) -> None:
        self._where = where
        self._noun = noun
        self._room = GROWTH * size + SLACK
        self._left = MOST
        self._items: list[Mapping[str, Any]] = []
        self._unreadable: list[str] = []
        self._doubts: list[str] = []
        self._notes: list[str] = []
        self._none: Counter[str] = Counter()

    def add(self, **fields: Any) -> None:
        """A finding; a field that is None is left out."""
        self._count()
        item = {name: value for name, value in fields.items() if value is not None}
        self._room -= sum(len(value) for value in item.values() if isinstance(value, str))
        if self._room < 0:
            raise FormatError(f"{self._where}: its {self._noun}s are longer than the document that holds them")
        self._items.append(item)

    def unreadable(self, n: int, why: str) -> None:
        """The `n`-th is left out: something that it must have cannot be read."""
        self._count()
        self._unreadable.append(f"{self._noun} {n}: {why}, left out")

    def no_finding(self, why: str) -> None:
        """One is left out because it claims no defect."""
        self._count()
        self._none[why] += 1

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise FormatError(f"{self._where}: holds over {MOST:,} {self._noun}s")

    def doubt(self, n: int, text: str) -> None:
        """A decision about the `n`-th, which stays."""
        self._doubts.append(f"{self._noun} {n}: {text}")

    def note(self, text: str) -> None:
        """A line about the document as a whole."""
        self._notes.append(text)

    @property
    def empty(self) -> bool:
        return not self._items

    def parsed(self) -> Parsed:
        """All of it. Raises `FormatError` where nothing is left and something could not be read.

        Such a document would look like the review of somebody who found nothing.
        """
        if self._unreadable and not self._items:
            raise FormatError(
                f"{self._where}: none of its {self._noun}s can be read as a finding ({self._unreadable[0]})"
            )
        counted = [f"left out, no findings: {n} {why}" for why, n in sorted(self._none.items())]
        return Parsed(
            tuple(self._items), (*self._notes, *counted, *_first(self._unreadable), *_first(self._doubts))
        )


def _first(said: list[str]) -> list[str]:
    more = len(said) - MOST_SAID
    return said if more <= 0 else [*said[:MOST_SAID], f"{more} more like the last"]
