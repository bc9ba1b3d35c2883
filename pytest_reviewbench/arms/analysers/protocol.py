"""What an analyser is, what it is given, and what it gives back."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pytest_reviewbench.arms.analysers.sources import Source
from pytest_reviewbench.codec import convert, parse
from pytest_reviewbench.contain.process import Completed
from pytest_reviewbench.errors import FormatError, ReviewFailed
from pytest_reviewbench.model import Severity

T = TypeVar("T")


@dataclass(frozen=True, slots=True, order=True)
class Found:
    """One complaint of an analyser, at the line where it starts. `file` is a path in the tree."""

    file: str
    line: int
    column: int
    rule: str
    message: str
    severity: Severity


@dataclass(frozen=True, slots=True)
class Report:
    """What an analyser said. `output` are its own JSON records, `unread` the files it could not read and why."""

    found: Sequence[Found] = ()
    unread: Mapping[str, str] = field(default_factory=dict)
    output: Sequence[Mapping[str, Any]] = ()


class Analyser(Protocol):
    """One program. Stateless: the same object serves several reviews at once."""

    @property
    def name(self) -> str:
        """The program, as find_program looks for it, and the first word of its findings."""

    @property
    def languages(self) -> frozenset[str]:
        """The `lang` words of cases that it is for."""

    def takes(self, source: Source) -> bool:
        """Is this a file that it would read?"""

    def analyse(self, job: Job) -> Report:
        """Analyse all files of `job`; may rewrite them. Raises `ReviewFailed`."""


@dataclass(frozen=True, slots=True)
class Job:
    """One analyser's part of one review.

    `sources` are the files it takes, at least one. `home` is a private folder outside the tree, for settings
    of ours. `execute` starts the program with these arguments; its current folder is the tree.
    """

    name: str
    tree: Path
    home: Path
    sources: Sequence[Source]
    execute: Callable[[Sequence[str]], Completed]

    def run(self, arguments: Sequence[str], *, start: bytes = b"") -> Any:
        """The JSON that the program prints, without the random folder names of this review.

        What stands before the first `start` is no part of it. Raises `ReviewFailed`: kind `timeout` when time
        was over, kind `limit` when it took too much, kind `analyser` for an exit code other than 0 and 1, for
        output that was cut or is no JSON.
        """
        done = self.execute(arguments)
        if done.timed_out:
            raise ReviewFailed("timeout", f"{self.name} was stopped after {done.seconds:.0f} s, the time was over")
        if done.ended_for is not None:
            raise ReviewFailed("limit", f"{self.name}: {done.ended_for}")
        if done.exit_code not in (0, 1):
            raise self.failed(f"ended with exit code {done.exit_code}: {done.tail()}")
        if done.stdout_total > len(done.stdout):
            raise self.failed(f"printed {done.stdout_total:,} bytes, of which only {len(done.stdout):,} are read")
        try:
            document = parse(done.stdout[max(0, done.stdout.find(start)) :], "output", mend_surrogates=True)
        except FormatError as e:
            said = done.complaint() or e
            raise self.failed(f"printed no JSON (exit code {done.exit_code}): {said}") from None
        return self._without_places(document)

    def read(self, value: Any, kind: type[T]) -> T:
        """`value` as a `kind`. Raises `ReviewFailed` when the program's format is not the known one."""
        try:
            return convert(value, kind, "output")
        except FormatError as e:
            raise self.failed(f"printed JSON of an unknown form: {e}") from None

    def source(self, reported: str) -> Source:
        """The file of this job that the program means. Raises `ReviewFailed` when there is none."""
        path = os.path.normpath(reported)
        for source in self.sources:
            if source.path == path:
                return source
        raise self.failed(f"reported on a file that it was not given: {reported}")

    def failed(self, what: str) -> ReviewFailed:
        return ReviewFailed("analyser", f"{self.name} {what}")

    def _without_places(self, value: Any) -> Any:
        if isinstance(value, str):
            value = value.replace(f"{self.tree}/", "").replace(f"{self.home}/", "")
            return value.replace(str(self.tree), ".").replace(str(self.home), ".")
        if isinstance(value, list):
            return [self._without_places(inner) for inner in value]
        if isinstance(value, dict):
            return {key: self._without_places(inner) for key, inner in value.items()}
        return value
