"""A corpus that has been read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_reviewbench.corpus.layout import INDEX
from pytest_reviewbench.errors import CorpusError
from pytest_reviewbench.model import Case, Split


@dataclass(frozen=True, slots=True)
class LockedCase:
    """A sealed case without a key: the sha256 of its files by name, and why it cannot be opened."""

    split: Split
    hashes: Mapping[str, str]
    why: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """A loaded corpus: its cases by id (sorted), entries without a folder, and what was odd about it.

    `locked` are the sealed cases that could not be opened: the others can be used all the same.
    """

    folder: Path
    cases: dict[str, Case]
    absent: tuple[str, ...]
    warnings: tuple[str, ...]
    locked: Mapping[str, LockedCase] = field(default_factory=dict)

    def select(self, split: str, ids: Collection[str] = ()) -> list[Case]:
        """The cases of `split` (`all`: both), or exactly `ids` whatever their split.

        Raises `CorpusError` for an unknown id, and when any of them is sealed and there is no key.
        """
        locked = [self.locked[name] for name in self.locked if name in ids]
        locked += [case for case in self.locked.values() if not ids and split in ("all", case.split)]
        if locked:
            others = f" ({len(locked)} cases are sealed)" if len(locked) > 1 else ""
            raise CorpusError(locked[0].why + others)
        for wanted in ids:
            if wanted in self.absent:
                raise CorpusError(f"{self.folder / INDEX}: the case {wanted!r} has no folder here")
            if wanted not in self.cases:
                raise CorpusError(f"--reviewbench-case: the corpus {self.folder} has no case {wanted[:80]!r}")
        if ids:
            return [self.cases[wanted] for wanted in sorted(ids)]
        return [case for case in self.cases.values() if split in ("all", case.split)]
