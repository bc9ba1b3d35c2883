"""What the page may tell of truths, and where it gets changes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_reviewbench.corpus.loaded import Corpus
from pytest_reviewbench.corpus.seal import open_text
from pytest_reviewbench.corpus.shown import Shown
from pytest_reviewbench.errors import CorpusError
from pytest_reviewbench.model import TWIN, Case

if TYPE_CHECKING:
    from pytest_reviewbench.corpus.seal_key import Key


@dataclass(frozen=True, slots=True)
class Book:
    """The corpus behind the runs, as far as there is one. `lacking` says why there is none.

    `show` gives the change of a case; it raises `CorpusError`.
    """

    corpus: Corpus | None
    show: Callable[[Case], Shown]
    lacking: str | None = None

    def case(self, name: str) -> Case | None:
        try:
            return None if self.corpus is None else self.corpus.case(name)
        except KeyError:
            return None

    def split(self, name: str) -> str | None:
        """On which side the corpus has the case; None: it does not say."""
        name = name.removesuffix(TWIN)
        if self.corpus is None:
            return None
        known = self.corpus.cases.get(name) or self.corpus.locked.get(name)
        return None if known is None else known.split


def no_book(why: str) -> Book:
    """Runs without their corpus."""

    def refuse(case: Case) -> Shown:
        raise CorpusError(f"{case.id}: {why}")

    return Book(None, refuse, why)


@dataclass(slots=True)
class Telling:
    """Whose bugs and reasons may be told: of train cases always, of test cases when `reveal` was asked for.

    Counts what it keeps back: `hidden` cases, and reasons that none of `keys` opens (`sealed`).
    """

    reveal: bool
    keys: Sequence[Key] = ()
    hidden: set[str] = field(default_factory=set)
    sealed: int = 0

    def tells(self, case: str, split: str | None) -> bool:
        """May the truth of `case` be told? One whose side nobody knows is a test case."""
        if split == "train" or self.reveal:
            return True
        self.hidden.add(case)
        return False

    def reason(self, text: str) -> str | None:
        """A verdict's reason, opened; None: it is sealed for another key. Ask `tells` first."""
        opened = open_text(text, self.keys)
        self.sealed += opened is None
        return opened
