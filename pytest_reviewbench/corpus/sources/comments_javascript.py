"""Comments of JavaScript and TypeScript source, told apart from strings, templates and regex literals."""

from __future__ import annotations

import re

from pytest_reviewbench.corpus.sources.scan import Scan, Span, Unsure

MARK = re.compile(rb"""['"`/{}]""")
STRING = {
    b"'": re.compile(rb"'(?:[^'\\\n]|\\(?:\r\n|[\s\S]))*'"),
    b'"': re.compile(rb'"(?:[^"\\\n]|\\(?:\r\n|[\s\S]))*"'),
}
TEMPLATE = re.compile(rb"(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(`|\$\{)")
REGEX = re.compile(rb"/(?![*/])(?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+/\w*")
LINE = re.compile(rb"//[^\r\n]*")
BLOCK = re.compile(rb"/\*(?:[^*]|\*(?!/))*\*/")

OPERATORS = b"(,=:[!&|?{};+-*%<>~^"
"""After one of these a slash opens a regex; after a name, a number, `)` or `]` it divides."""

KEYWORDS = re.compile(
    rb"(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|instanceof|else|do|yield|await)$"
)


def scan(source: bytes) -> Scan:
    """All comments and longer literals; `Unsure` for a literal that does not end."""
    found = Scan()
    # One entry per open brace: True for the `${` of a template, whose end goes on with the template.
    braces: list[bool] = []
    at, before = 0, b""
    if source.startswith(b"#!"):
        at = source.find(b"\n") % (len(source) + 1)
    while mark := MARK.search(source, at):
        sign = mark[0]
        between = source[at : mark.start()].rstrip()
        before = between[-20:] or before
        at = mark.end()
        if sign == b"{":
            braces.append(False)
            before = sign
        elif sign == b"}":
            if braces and braces.pop():
                at, before = _template(source, at, braces)
            else:
                before = sign
        elif sign == b"`":
            at, before = _template(source, at, braces)
        elif sign != b"/":
            at, before = _end(STRING[sign], source, mark.start()), b'"'
        elif source.startswith((b"//", b"/*"), mark.start()):
            at = _end(LINE if source.startswith(b"//", mark.start()) else BLOCK, source, mark.start())
            found.comments.append(Span(mark.start(), at))
        elif _opens_regex(before) and (regex := REGEX.match(source, mark.start())):
            at, before = regex.end(), b'"'
        else:
            before = sign
        if sign in b"'\"`}" and b"\n" in source[mark.start() : at]:
            found.literals.append(Span(mark.start(), at))
    if any(braces):
        raise Unsure
    return found


def _template(source: bytes, at: int, braces: list[bool]) -> tuple[int, bytes]:
    """Where the template text from `at` ends, and what stands before the next thing."""
    end = TEMPLATE.match(source, at)
    if end is None:
        raise Unsure
    if end[1] == b"`":
        return end.end(), b'"'
    braces.append(True)
    return end.end(), b"{"


def _end(pattern: re.Pattern[bytes], source: bytes, at: int) -> int:
    found = pattern.match(source, at)
    if found is None:
        raise Unsure
    return found.end()


def _opens_regex(before: bytes) -> bool:
    return not before or before[-1:] in OPERATORS + b"/" or KEYWORDS.search(before) is not None
