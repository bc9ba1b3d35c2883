"""What a model's service answers when it does not answer: its HTTP status as the kind of a failed session."""

from __future__ import annotations

import re

from pytest_reviewbench.sessions.protocol import SessionFailed

KINDS = {401: "auth", 403: "auth", 429: "rate_limit", 503: "overloaded", 529: "overloaded"}
PASSING = frozenset({408, 409, 425, 429})
"""Statuses below 500 after which the same request can go well."""

PASSING_WORDS = re.compile(
    r"(?i:connect|socket|\breset|hang up|timed? ?out|error sending request|fetch failed|network|internet)"
    r"|(?i:high demand|temporar)"
    r"|\bE(?:CONN|PIPE|TIMEDOUT|HOST|NET|AI_)|\bDNS\b"
)
"""How agents speak of broken connections and of a service in trouble, where they do not say its status."""


def refused(agent: str, status: int | None, message: str) -> SessionFailed:
    """The failure for `status` (None: there was no answer with one)."""
    if status is None:
        return SessionFailed("api", f"{agent}: {message}", again=PASSING_WORDS.search(message) is not None)
    again = status in PASSING or status >= 500
    return SessionFailed(KINDS.get(status, "api"), f"{agent}: HTTP {status}: {message}", again=again)
