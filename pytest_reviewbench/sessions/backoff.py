"""How long to wait before a session is tried again."""

from __future__ import annotations

import re

FIRST = 5.0
"""Seconds before the second attempt, at most; the agents have tried each request several times by then."""
LONGEST = 60.0
"""Where the wait stops to double."""
PATIENCE = 600.0
"""Seconds that a service may ask for. Who is told to come back later than that need not come back at all."""

TOLD = re.compile(
    r"(?:retry|try again)(?:[ -]after| in)[ :=]{0,3}(\d{1,6}(?:\.\d{1,6})?) ?"
    r"(ms|milliseconds?|s|sec|seconds?|m|min|minutes?|h|hours?)?\b",
    re.IGNORECASE,
)
UNITS = {"ms": 0.001, "m": 60.0, "h": 3600.0}


def seconds_before(attempt: int, told: float | None, chance: float) -> float | None:
    """Seconds to wait before attempt number `attempt` (2 is the first that waits); None: it is not worth it.

    Doubles from `FIRST` to `LONGEST`; between half of that and all of it, by `chance` (0 to 1), so that those who
    were refused together do not come back together. What the service asked for (`told`, in seconds) is the least.
    """
    if told is not None and told > PATIENCE:
        return None
    usual = min(FIRST * 2.0 ** min(attempt - 2, 30), LONGEST) * (0.5 + chance / 2)
    return max(usual, told or 0.0)


def told_in(message: str) -> float | None:
    """The seconds after which an error's own words say to try again, if they do."""
    found = TOLD.search(message)
    if found is None:
        return None
    unit = (found[2] or "").lower()
    known = "ms" if unit.startswith(("ms", "milli")) else unit[:1]
    return float(found[1]) * UNITS.get(known, 1.0)
