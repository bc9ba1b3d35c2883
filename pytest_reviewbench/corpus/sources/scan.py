"""What a scanner of a language finds: the parts of a source file that are no code."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes `start:end` of a file."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Scan:
    """What is no code: in order, none overlapping another.

    `comments` include their delimiters, not their line end; Python docstrings are among them. `literals` cover
    at least the line ends inside of strings, templates and here-documents.
    """

    comments: list[Span] = field(default_factory=list)
    literals: list[Span] = field(default_factory=list)


class Unsure(Exception):
    """The file is not what its scanner expects; what was found so far must not be trusted."""
