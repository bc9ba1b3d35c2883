"""Secrets out of text that came from elsewhere: the one function through which it is stored or printed.

Two kinds go: values of key-like environment variables, and strings that look like keys. Both are also found
behind JSON, URL and HTML escapes (up to three layers), in base64, and with control characters in between. Time
is linear in the text.
"""

from __future__ import annotations

import functools
import html
import os
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from urllib.parse import unquote_to_bytes

from pytest_reviewbench.key_shapes import Span, key_spans
from pytest_reviewbench.secret_values import COMMON, CONTROLS, SHORTEST, forms, secret_values

MARK = "[redacted]"

LAYERS = 3
"""Escapes within escapes that are undone: JSON in JSON, as event streams have it, and one more."""

ROUNDS = 8
"""What is cut out may make its neighbour a word of its own; a text is looked at until nothing is found."""

ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\[\"'/bfnrt]"
    r"|(?:\\\\)++|(?:%[0-9a-fA-F]{2})++"
    r"|&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});"
    r"|\x1b\[[0-9;?]{0,30}[A-Za-z]|" + CONTROLS.pattern
)
PLAIN = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Redactor:
    """Replaces secrets by `[redacted]`. Made from an environment once, callable from any thread."""

    def __init__(self, environ: Mapping[str, str], exists: Callable[[str], bool] = os.path.exists) -> None:
        found = {form for value in secret_values(environ, exists) for form in forms(value)}
        self._values = sorted(form for form in found if form not in MARK)

    def learn(self, secrets: Iterable[str]) -> None:
        """Replace these as well from now on: they stand elsewhere than in variables that look like keys.

        One that is so short that it stands in ordinary text by chance is left out.
        """
        long = [value for value in secrets if len(value) >= SHORTEST and value.lower() not in COMMON]
        found = {form for value in long for form in forms(value)}
        self._values = sorted({*self._values, *(form for form in found if form not in MARK)})

    def __call__(self, text: str) -> str:
        """`text` without its secrets; doing it again changes nothing."""
        for _ in range(ROUNDS):
            spans = list(self._spans(text, LAYERS))
            if not spans:
                break
            before, text = text, _replaced(text, [*spans, *_spans_of(MARK, text)])
            if text == before:
                break
        return text

    def _spans(self, text: str, layers: int) -> Iterator[Span]:
        for value in [value for value in self._values if value in text]:
            yield from _spans_of(value, text)
        yield from key_spans(text)
        if layers and ESCAPE.search(text):
            inner = _Unescaped(text)
            yield from map(inner.origin, self._spans(inner.text, layers - 1))


@functools.cache
def process_redactor() -> Redactor:
    """The redactor of this process, from the environment that it had when it first needed one."""
    return Redactor(os.environ)


def keep_secret(value: str) -> None:
    """`value` is a secret of this process, whatever the variable is called that holds it."""
    process_redactor().learn([value])


def redacted(text: str) -> str:
    """`text` without the secrets of this process and without anything that looks like a key."""
    return process_redactor()(text)


def excerpt(text: str, limit: int) -> str:
    """The first `limit` characters of `text` without secrets; half a secret would not be known as one."""
    return redacted(text)[:limit]


class _Unescaped:
    """A text with one layer of escapes undone and control characters removed, and the way back."""

    def __init__(self, escaped: str) -> None:
        pieces: list[str] = []
        self._here, self._there = array("q", [0]), array("q", [0])  # even pieces are as they were
        here = there = 0
        for found in ESCAPE.finditer(escaped):
            start, end = found.span()
            meant = _meaning(found[0])
            pieces += (escaped[there:start], meant)
            here += start - there
            self._here.append(here)
            self._there.append(start)
            here, there = here + len(meant), end
            self._here.append(here)
            self._there.append(end)
        pieces.append(escaped[there:])
        self.text = "".join(pieces)

    def origin(self, span: Span) -> Span:
        """Where in the escaped text a span of this one came from; half an escape counts as all of it."""
        first, last = bisect_right(self._here, span[0]) - 1, bisect_right(self._here, span[1] - 1) - 1
        start = self._there[first] + (0 if first % 2 else span[0] - self._here[first])
        if last % 2:
            return start, self._there[last + 1]
        return start, self._there[last] + span[1] - self._here[last]


def _meaning(escape: str) -> str:
    if escape[0] == "%":
        return unquote_to_bytes(escape).decode("utf-8", "replace")
    if escape[0] == "&":
        return html.unescape(escape)
    if escape[0] != "\\":
        return ""
    if escape[1] == "\\":
        return escape[: len(escape) // 2]
    if len(escape) == 12:
        pair = int(escape[2:6], 16), int(escape[8:], 16)
        return chr(0x10000 + ((pair[0] - 0xD800) << 10) + pair[1] - 0xDC00)
    if len(escape) > 2:
        return chr(int(escape[2:], 16))
    return PLAIN.get(escape[1], escape[1])


def _spans_of(value: str, text: str) -> Iterator[Span]:
    start = text.find(value)
    while start >= 0:
        yield start, start + len(value)
        start = text.find(value, start + len(value))


def _replaced(text: str, spans: Iterable[Span]) -> str:
    """`text` with every maximal run of `spans` replaced by one mark."""
    pieces: list[str] = []
    done = -1
    for start, end in sorted(spans):
        if start > done:
            pieces += (text[max(done, 0) : start], MARK)
        done = max(done, end)
    return "".join([*pieces, text[max(done, 0) :]])
