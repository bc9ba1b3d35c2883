"""Comments of shell source: quotes, expansions, arithmetic and here-documents are told apart from them."""

from __future__ import annotations

import re

from pytest_reviewbench.corpus.sources.scan import Scan, Span, Unsure

MARK = re.compile(rb"""[\\'"`$(){}#<\n]""")
SINGLE = re.compile(rb"'[^']*'")
ANSI = re.compile(rb"\$'(?:[^'\\]|\\[\s\S])*'")
HEREDOC = re.compile(rb"<<(-?)[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|\\?([\w.+-]+))")
COMMENT = re.compile(rb"#[^\r\n]*")

COMMANDS = frozenset({b"", b"$(", b"(", b"`"})
"""Contexts in which words are commands: only there can a comment, a quote or a here-document begin."""


def scan(source: bytes) -> Scan:
    """All comments and literals; `Unsure` when a quote, an expansion or a here-document does not end."""
    found = Scan()
    stack: list[bytes] = [b""]
    waiting: list[tuple[bytes, bool]] = []
    at = source.find(b"\n") % (len(source) + 1) if source.startswith(b"#!") else 0
    while mark := MARK.search(source, at):
        sign, start, top = mark[0], mark.start(), stack[-1]
        at = mark.end()
        if sign == b"\\":
            at += 1
        elif sign == b"\n":
            if waiting and top in COMMANDS:
                at = _past_heredocs(source, at, waiting)
                waiting = []
                found.literals.append(Span(start, at))
            elif top not in COMMANDS:
                found.literals.append(Span(start, at + 1))
        elif sign == b"#":
            if top in COMMANDS and _starts_word(source, start):
                at = _end(COMMENT, source, start)
                found.comments.append(Span(start, at))
        elif sign == b"'":
            if top != b'"' and not (top == b"${" and b'"' in stack):
                at = _end(SINGLE, source, start)
                found.literals.append(Span(start, at))
        elif sign == b'"':
            _toggle(stack, b'"')
        elif sign == b"`":
            _toggle(stack, b"`")
        elif sign == b"$":
            at = _expansion(source, start, top, stack)
        elif sign == b"<":
            at = _redirection(source, start, top, waiting)
        else:
            at = _bracket(source, sign, start, stack)
    if stack != [b""] or waiting:
        raise Unsure
    return found


def _starts_word(source: bytes, start: int) -> bool:
    return start == 0 or source[start - 1 : start] in b" \t\n;|&("


def _toggle(stack: list[bytes], sign: bytes) -> None:
    if stack[-1] == sign:
        stack.pop()
    else:
        stack.append(sign)


def _expansion(source: bytes, start: int, top: bytes, stack: list[bytes]) -> int:
    if source.startswith(b"$((", start):
        stack.append(b"((")
        return start + 3
    if source.startswith((b"$(", b"${"), start):
        stack.append(source[start : start + 2])
        # The first character belongs to the expansion: `${#x}` counts, `${}}` does not exist.
        return start + 2
    if top != b'"' and source.startswith(b"$'", start):
        return _end(ANSI, source, start)
    # `$#`, `$$`: the sign after it is a name.
    return start + (2 if source[start + 1 : start + 2] in (b"#", b"$") else 1)


def _bracket(source: bytes, sign: bytes, start: int, stack: list[bytes]) -> int:
    top = stack[-1]
    if sign == b"(" and top in COMMANDS:
        if source.startswith(b"((", start):
            stack.append(b"((")
            return start + 2
        stack.append(b"(")
    elif sign == b"(" and top == b"((":
        stack.append(b"(")
    elif sign == b")" and top == b"((":
        if source.startswith(b"))", start):
            stack.pop()
            return start + 2
    elif (sign == b")" and top in (b"(", b"$(")) or (sign == b"}" and top == b"${"):
        stack.pop()
    # A lone `)` at the top is a `case` pattern; a lone brace groups commands.
    return start + 1


def _redirection(source: bytes, start: int, top: bytes, waiting: list[tuple[bytes, bool]]) -> int:
    if top not in COMMANDS or not source.startswith(b"<<", start):
        return start + 1
    if source.startswith(b"<<<", start):
        return start + 3
    word = HEREDOC.match(source, start)
    if word is None:
        raise Unsure
    waiting.append((word[2] or word[3] or word[4], word[1] == b"-"))
    return word.end()


def _past_heredocs(source: bytes, at: int, waiting: list[tuple[bytes, bool]]) -> int:
    for word, dashed in waiting:
        tabs = rb"\t*" if dashed else b""
        end = re.compile(rb"^" + tabs + re.escape(word) + rb"\r?$\n?", re.MULTILINE).search(source, at)
        if end is None:
            raise Unsure
        at = end.end()
    return at


def _end(pattern: re.Pattern[bytes], source: bytes, at: int) -> int:
    found = pattern.match(source, at)
    if found is None:
        raise Unsure
    return found.end()
