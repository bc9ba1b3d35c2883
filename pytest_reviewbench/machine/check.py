"""One thing that a review may need, and what was found of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from pytest_reviewbench.errors import ReviewbenchError, one_line
from pytest_reviewbench.redact import redacted

State = Literal["usable", "limited", "missing", "broken"]

GROUPS = ("python", "pytest", "analysers", "agents", "sandbox", "git", "registries", "folders", "project")
"""In the order in which people read them."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a check found. `detail` says what is so, `advice` what to do about it (None: nothing)."""

    state: State
    version: str | None = None
    runs: Sequence[str] | None = None
    detail: str | None = None
    advice: str | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """A check that is still to be made. `needed`: reviews with the arm `tools` cannot do without it."""

    group: str
    name: str
    look: Callable[[], Found]
    needed: bool = False

    def done(self) -> Check:
        """Look. Whatever goes wrong there is what is said of it."""
        try:
            found = self.look()
        except ReviewbenchError as e:
            found = Found("broken", advice=str(e))
        except BaseException as e:  # what is loaded here may be anybody's, and pytest's outcomes are no Exception
            found = failed(f"{type(e).__name__}: {e}")
        return self.told(found)

    def told(self, found: Found) -> Check:
        """`found` as it may be shown to anybody: each text one line without secrets."""
        return Check(
            group=self.group,
            name=one_line(self.name, 80),
            state=found.state,
            needed=self.needed,
            version=None if found.version is None else one_line(found.version, 60),
            runs=None if found.runs is None else tuple(redacted(word) for word in found.runs),
            detail=None if found.detail is None else one_line(found.detail),
            advice=None if found.advice is None or found.state == "usable" else one_line(found.advice),
        )


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One row. `runs` is the argv that would be started, its first word an absolute path."""

    group: str
    name: str
    state: State
    needed: bool
    version: str | None
    runs: tuple[str, ...] | None
    detail: str | None
    advice: str | None


class Checkup(msgspec.Struct, frozen=True, kw_only=True):
    """Every row, sorted by group and name. `usable`: all that is needed is."""

    schema: int = 1
    usable: bool
    offline: bool
    checks: tuple[Check, ...]


def failed(why: str) -> Found:
    """A check that could not be made; says nothing of what it was to look at."""
    return Found("broken", detail=why, advice="this check itself failed; the others stand")
