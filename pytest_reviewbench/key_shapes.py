"""What a key looks like, whatever it is called: the tokens of well-known services, headers, URLs, private keys.

Every pattern starts with a literal and goes on with one class of characters: a search is linear in the text,
also in a hostile one. A shape must be one that no hash, no UUID, no encoded data and no identifier has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Span = tuple[int, int]

WORD = "[A-Za-z0-9]"
URLSAFE = "[A-Za-z0-9_-]"

TOKENS: tuple[tuple[str, str], ...] = (
    ("sk-ant-", URLSAFE + "{16,}"),  # Anthropic
    ("sk-proj-", URLSAFE + "{20,}"),  # OpenAI
    ("sk-svcacct-", URLSAFE + "{20,}"),
    ("sk-admin-", URLSAFE + "{20,}"),
    ("sk-or-v1-", "[0-9a-f]{32,}"),  # OpenRouter
    ("sk-", WORD + "{32,}"),  # OpenAI before projects, and services that imitate it
    ("gsk_", WORD + "{40,}"),  # Groq
    ("xai-", WORD + "{40,}"),
    ("ghp_", WORD + "{30,}"),  # GitHub: personal, OAuth, user, server, refresh
    ("gho_", WORD + "{30,}"),
    ("ghu_", WORD + "{30,}"),
    ("ghs_", WORD + "{30,}"),
    ("ghr_", WORD + "{30,}"),
    ("github_pat_", "[A-Za-z0-9_]{22,}"),
    ("glpat-", "[A-Za-z0-9_.-]{20,}"),  # GitLab: personal, deploy, runner, job, trigger, feed
    ("gldt-", URLSAFE + "{20,}"),
    ("glrt-", "[A-Za-z0-9_.-]{20,}"),
    ("glcbt-", URLSAFE + "{20,}"),
    ("glptt-", URLSAFE + "{20,}"),
    ("glft-", URLSAFE + "{20,}"),
    ("AKIA", "[A-Z0-9]{16}(?![A-Za-z0-9])"),  # AWS: long-lived, temporary
    ("ASIA", "[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("AIza", URLSAFE + "{35}(?![A-Za-z0-9_-])"),  # Google: API key, OAuth token, client secret
    ("ya29.", URLSAFE + "{20,}"),
    ("GOCSPX-", URLSAFE + "{20,}"),
    ("xoxa-", "[A-Za-z0-9-]{10,}"),  # Slack
    ("xoxb-", "[A-Za-z0-9-]{10,}"),
    ("xoxe-", "[A-Za-z0-9-]{10,}"),
    ("xoxe.", "[A-Za-z0-9.-]{10,}"),
    ("xoxo-", "[A-Za-z0-9-]{10,}"),
    ("xoxp-", "[A-Za-z0-9-]{10,}"),
    ("xoxr-", "[A-Za-z0-9-]{10,}"),
    ("xoxs-", "[A-Za-z0-9-]{10,}"),
    ("xapp-", "[A-Za-z0-9-]{20,}"),
    ("hooks.slack.com/services/", "[A-Za-z0-9/]{20,}"),
    ("npm_", WORD + "{36,}"),
    ("pypi-AgE", URLSAFE + "{30,}"),
    ("hf_", WORD + "{30,}"),  # Hugging Face
    ("sk_live_", WORD + "{16,}"),  # Stripe
    ("sk_test_", WORD + "{16,}"),
    ("rk_live_", WORD + "{16,}"),
    ("AGE-SECRET-KEY-1", "[A-Z0-9]{50,}"),  # age, also what opens a sealed corpus
    # A JSON web token: header and payload are objects, whose encoding starts with eyJ.
    ("eyJ", URLSAFE + r"{8,}+\.eyJ" + URLSAFE + r"{8,}+\." + URLSAFE + "{8,}+"),
)
"""How a token begins, and what follows. What stands before most of them must not belong to the same word."""

NO_TEMPLATE = r"(?![$*<{]|%[(s])"
"""A place for a secret in a program's text is none."""

_HEADER = r"(?i:authorization)[\"']?\s{0,4}[:=,]\s{0,4}[\"']?(?i:bearer|basic|token|bot)\s{1,4}"
_AWS = r"(?i:aws_secret_access_key|SecretAccessKey)[\"']?\s{0,4}[:=]\s{0,4}[\"']?"

NAMED: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("authorization", "Authorization", "AUTHORIZATION"),
        rf"{_HEADER}{NO_TEMPLATE}(?P<secret>[A-Za-z0-9._~+/=:-]{{8,}})",
    ),
    (
        ("bearer ", "Bearer ", "BEARER "),
        r"(?i:bearer) {1,4}(?=[A-Za-z._~+/=-]{0,80}[0-9])(?P<secret>[A-Za-z0-9._~+/=-]{16,})",
    ),
    # The last @ before the path ends the user's part, as clients read it.
    (("://",), rf"://[^\s/?#@:\"'<>\\]*+:{NO_TEMPLATE}(?P<secret>[^\s/?#\"'<>\\]+)@"),
    (("://",), rf"://(?=[A-Za-z_-]{{0,60}}[0-9])(?P<secret>{URLSAFE}{{20,}})@"),
    (("_authToken",), r"_authToken\s{0,4}=\s{0,4}[\"']?(?P<secret>[A-Za-z0-9._~+/=-]{8,})"),
    (("_password",), r":_password\s{0,4}=\s{0,4}[\"']?(?P<secret>[A-Za-z0-9._~+/=-]{8,})"),
    (
        ("aws_secret_access_key", "AWS_SECRET_ACCESS_KEY", "SecretAccessKey"),
        rf"{_AWS}(?P<secret>[A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+=])",
    ),
)
"""Words of which one must be in the text at all, and a pattern whose group `secret` is to go."""


UNMISTAKABLE = ("gh", "glpat-", "hooks.", "pypi-", "xox")
"""Beginnings of tokens that are known also within a word: what was before them may be half an escape."""


def _compiled(start: str, rest: str) -> re.Pattern[str]:
    if start.startswith(UNMISTAKABLE):
        return re.compile(re.escape(start) + rest)
    # The literal first: the search for it is fast, and what stands before it is looked at then. A search that
    # began anew at every eyJ of a long word would not be linear.
    literal, before = re.escape(start), URLSAFE if start == "eyJ" else WORD
    return re.compile(f"{literal}(?<!{before}{literal}){rest}")


_TOKENS = tuple((start, _compiled(start, rest)) for start, rest in TOKENS)
_NAMED = tuple((words, re.compile(pattern)) for words, pattern in NAMED)
_PEM = re.compile(r"-----(BEGIN|END) [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----")
_PEM_LINES = re.compile(r"(?:\s*+[A-Za-z0-9+/=]{20,}+)*+")
_NOT_PEM = re.compile(r"[\"'{}<>]")


def key_spans(text: str) -> Iterator[Span]:
    """Where in `text` something stands that looks like a key; spans may overlap."""
    for start, pattern in _TOKENS:
        if start in text:
            for found in pattern.finditer(text):
                yield found.span()
    for words, pattern in _NAMED:
        if any(word in text for word in words):
            for found in pattern.finditer(text):
                yield found.span("secret")
    if "PRIVATE KEY" in text:
        yield from _private_keys(text)


def _private_keys(text: str) -> Iterator[Span]:
    """From BEGIN to END where nothing but a key is between them, else BEGIN and the lines of a key behind it."""
    marks = list(_PEM.finditer(text))
    for mark, after in zip(marks, [*marks[1:], None], strict=True):
        if mark[1] != "BEGIN":
            continue
        if after is not None and after[1] == "END" and not _NOT_PEM.search(text, mark.end(), after.start()):
            yield mark.start(), after.end()
        elif (lines := _PEM_LINES.match(text, mark.end())) and lines[0]:
            yield mark.start(), lines.end()
