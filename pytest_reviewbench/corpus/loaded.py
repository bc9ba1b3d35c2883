"""A corpus that has been read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_reviewbench.corpus.layout import INDEX
from pytest_reviewbench.errors import CorpusError
from pytest_reviewbench.model import TWIN, Case, Split


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

    def select(self, split: str, ids: Collection[str] = (), *, twins: bool = False) -> list[Case]:
        """The cases of `split` (`all`: both), or exactly `ids` whatever their split.

        With `twins` each is followed by its fixed twin, if it has one; a twin's own id selects it in any case.
        Raises `CorpusError` for an unknown id, and when any of them is sealed and there is no key.
        """
        asked = {wanted.removesuffix(TWIN) for wanted in ids}
        locked = [case for name, case in self.locked.items() if name in asked]
        locked += [case for case in self.locked.values() if not ids and split in ("all", case.split)]
        if locked:
            others = f" ({len(locked)} cases are sealed)" if len(locked) > 1 else ""
            raise CorpusError(locked[0].why + others)
        for wanted in ids:
            plain = wanted.removesuffix(TWIN)
            if plain in self.absent:
                raise CorpusError(f"{self.folder / INDEX}: the case {plain!r} has no folder here")
            if plain not in self.cases:
                raise CorpusError(f"--reviewbench-case: the corpus {self.folder} has no case {wanted[:80]!r}")
            if wanted != plain and self.cases[plain].twin is None:
                raise CorpusError(
                    f"--reviewbench-case: {plain} has no fixed twin: it is a clean control, or nothing pins its fix"
                )
        if ids:
            chosen = [self.case(wanted) for wanted in ids]
        else:
            chosen = [case for case in self.cases.values() if split in ("all", case.split)]
        found = {case.id: case for case in chosen}
        found |= {twin.id: twin for case in chosen if twins and (twin := case.twin) is not None}
        return [found[case] for case in sorted(found, key=lambda case: (case.removesuffix(TWIN), case))]

    def case(self, reviewed: str) -> Case:
        """The case, or the twin of a case, with this id. Raises `KeyError`."""
        case = self.cases[reviewed.removesuffix(TWIN)]
        if not reviewed.endswith(TWIN):
            return case
        if (twin := case.twin) is None:
            raise KeyError(reviewed)
        return twin
