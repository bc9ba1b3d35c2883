"""What a model's service answers when it does not answer: its HTTP status as the kind of a failed session."""

from __future__ import annotations

import re

from pytest_reviewbench.sessions.backoff import told_in
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


def refused(agent: str, status: int | None, message: str, retry_after: float | None = None) -> SessionFailed:
    """The failure for `status` (None: there was no answer with one).

    `retry_after` are the seconds that the service asked for, where the stream says so; else its words may.
    """
    after = told_in(message) if retry_after is None else retry_after
    if status is None:
        passing = PASSING_WORDS.search(message) is not None
        return SessionFailed("api", f"{agent}: {message}", again=passing, retry_after=after)
    again = status in PASSING or status >= 500
    kind = KINDS.get(status, "api")
    return SessionFailed(kind, f"{agent}: HTTP {status}: {message}", again=again, retry_after=after)
