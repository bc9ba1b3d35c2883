"""Comments and docstrings of Python source, by the standard tokenizer: a `#` in a string is no comment."""

from __future__ import annotations

import io
import tokenize

from pytest_reviewbench.corpus.sources.scan import Scan, Span, Unsure

LAYOUT = frozenset({tokenize.NL, tokenize.COMMENT})
OPENING = frozenset({tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING})
Place = tuple[tuple[int, int], tuple[int, int]]
BOM = b"\xef\xbb\xbf"


def scan(source: bytes) -> Scan:
    """Comments, and strings that are statements of their own; `Unsure` for what cannot be tokenized.

    Any Python may stand in a package, also one that this interpreter cannot parse: tokens are enough here.
    """
    if b"\r" in source.replace(b"\r\n", b""):
        raise Unsure  # some versions of the tokenizer end lines there, others do not
    bom = len(BOM) if source.startswith(BOM) else 0
    body = source[bom:]
    try:
        text, encoding = body.decode(), "utf-8"
    except UnicodeDecodeError:
        text, encoding = body.decode("latin-1"), "latin-1"
    starts, lines, at = [], [], bom
    for line in io.StringIO(text, newline="\n"):
        starts.append(at)
        lines.append(line)
        at += len(line.encode(encoding))

    def offset(place: tuple[int, int]) -> int:
        row, column = place
        if row > len(lines):
            return at
        return starts[row - 1] + len(lines[row - 1][:column].encode(encoding))

    comments, literals = _places(lines)
    return Scan(
        [Span(offset(start), offset(end)) for start, end in comments],
        [Span(offset(start), offset(end)) for start, end in literals],
    )


def _places(lines: list[str]) -> tuple[list[Place], list[Place]]:
    """(comments, literals of more than one line)."""
    feed = iter(lines)
    try:
        tokens = list(tokenize.generate_tokens(lambda: next(feed, "")))
    except (tokenize.TokenError, SyntaxError, ValueError):
        raise Unsure from None
    if any(token.type == tokenize.ERRORTOKEN for token in tokens):
        raise Unsure
    comments = [(t.start, t.end) for t in tokens if t.type == tokenize.COMMENT and not _shebang(t)]
    # Whatever the version calls the parts of an f-string: only strings have tokens of more than one line.
    literals = [(t.start, t.end) for t in tokens if t.start[0] < t.end[0] and t.type not in OPENING]
    solid = [t for t in tokens if t.type not in LAYOUT]
    for n, token in enumerate(solid[:-1]):
        alone = n == 0 or solid[n - 1].type in OPENING
        if token.type == tokenize.STRING and alone and solid[n + 1].type == tokenize.NEWLINE:
            comments.append((token.start, token.end))
    return sorted(comments), sorted(set(literals) - set(comments))


def _shebang(token: tokenize.TokenInfo) -> bool:
    return token.start == (1, 0) and token.string.startswith("#!")
