"""What is wrong with a case, and where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Weight = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """`where` is a file below the case's folder with a JSON path or a line in it; `said` completes the sentence.

    Neither holds a word of the truth: what is printed of a test case must not either. A warning is for people to
    look at and no reason to refuse the corpus, unless they ask for that.
    """

    where: str
    said: str
    weight: Weight = "error"

    def __str__(self) -> str:
        return f"{self.where}: {self.said}"


def from_message(message: str, folder: Path | str) -> Problem:
    """The problem that an error of loading or showing the case in `folder` speaks of."""
    where, _, said = message.removeprefix(str(folder)).removeprefix("/").partition(": ")
    where = where or "case"
    if said.startswith("$"):
        path, _, said = said.partition(": ")
        where = f"{where}: {path}"
    return Problem(where, said) if said else Problem("case", message)


def errors(problems: Iterable[Problem]) -> list[Problem]:
    """Those that are more than warnings."""
    return [problem for problem in problems if problem.weight == "error"]
