"""What can go wrong, as one small family: a message is one line that says what, where, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Sequence


class ReviewbenchError(Exception):
    """Base of every error this package raises on purpose; `str()` is one line for a person."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class SettingsError(ReviewbenchError):
    """An option, an ini value or a `[tool.reviewbench]` key that cannot be used."""


class FormatError(ReviewbenchError):
    """A file that is not what its place promises; names the file and the JSON path."""


class CorpusError(ReviewbenchError):
    """A corpus or case that must not be used; names the file and the JSON path."""


class NoTwin(CorpusError):
    """A case without a fixed twin; says why."""


class NoChange(CorpusError):
    """A case without a change to show; says why."""


class SourceError(ReviewbenchError):
    """Pinned code that could not be fetched, or is not what its pin says."""


class RunError(ReviewbenchError):
    """A run folder that cannot be made, read or put beside another."""


class ReviewFailed(ReviewbenchError):
    """A reviewer that could not finish. `kind` is the machine-readable half of the record's error."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class OverBudget(ReviewbenchError):
    """No session may begin any more: the money or the time of the whole benchmark is spent."""


def one_line(text: str, limit: int = 600) -> str:
    """`text` on one line without secrets, control characters and lone surrogates made visible, cut at `limit`.

    Whatever a message quotes comes through here, also a child's output: before the cut, for half a secret would
    not be known as one.
    """
    from pytest_reviewbench.redact import redacted  # here: an idle session says nothing and imports nothing

    text = redacted(text)
    shown = "".join(c if c.isprintable() else " " if c.isspace() else f"\\x{ord(c):02x}" for c in text)
    shown = " ".join(shown.split())
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """The end of an error about `word`: the known word it resembles, else all known words."""
    close = [*difflib.get_close_matches(word.replace("_", "-"), known), *difflib.get_close_matches(word, known)]
    return f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(known)}"
