"""Where the comments and the longer literals of a source file are, whatever its language."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_reviewbench.corpus.sources.scan import Scan, Span, Unsure

BY_SUFFIX = {
    "py": "python", "pyi": "python", "pyw": "python",
    "js": "javascript", "mjs": "javascript", "cjs": "javascript", "jsx": "javascript",
    "ts": "javascript", "mts": "javascript", "cts": "javascript", "tsx": "javascript",
    "sh": "shell", "bash": "shell", "bats": "shell", "zsh": "shell", "ksh": "shell",
    "coffee": "hash", "rb": "hash", "pl": "hash", "toml": "hash", "yaml": "hash",
    "yml": "hash", "cfg": "hash", "ini": "hash",
    "c": "slash", "h": "slash", "css": "slash", "scss": "slash", "less": "slash",
}  # fmt: skip
INTERPRETERS = {b"python": "python", b"node": "javascript", b"deno": "javascript", b"bun": "javascript"}
SHEBANG = re.compile(rb"#!.*?\b(python|node|deno|bun|(?:ba|da|z|k|a)?sh|bats)[\d.]*\b")


def scanned(versions: Sequence[bytes], filename: str) -> list[Scan]:
    """What is no code in each of `versions` of one file; nothing for a language that is not known.

    When one of them is more than its language's scanner can follow (a syntax error, a construct it does not
    know), all of them give their full-line comments only: two versions must be read in one way.
    """
    languages = [language_of(version, filename) for version in versions]
    language = next((known for known in languages if known != "none"), "none")
    # Imported when needed: a shell corpus needs no Python tokenizer.
    if language == "python":
        from pytest_reviewbench.corpus.sources.comments_python import scan
    elif language == "javascript":
        from pytest_reviewbench.corpus.sources.comments_javascript import scan
    elif language == "shell":
        from pytest_reviewbench.corpus.sources.comments_shell import scan
    else:
        return [full_lines(version, language) for version in versions]
    try:
        return [scan(version) for version in versions]
    except Unsure:
        return [full_lines(version, language) for version in versions]


def language_of(source: bytes, filename: str) -> str:
    """`python`, `javascript`, `shell`, `hash` or `slash` (only the sign of a comment is known), or `none`."""
    name = filename.rpartition("/")[2]
    if name.rpartition(".")[0]:
        return BY_SUFFIX.get(name.rpartition(".")[2].lower(), "none")
    shebang = SHEBANG.match(source)
    if shebang is None:
        return "none"
    return INTERPRETERS.get(shebang[1], "shell")


def full_lines(source: bytes, language: str) -> Scan:
    """Lines that are nothing but a comment, judged by their first characters alone."""
    if language == "none":
        return Scan()
    if language in ("javascript", "slash"):
        pattern = rb"^[ \t]*(//[^\r\n]*|/\*(?:[^*]|\*(?!/))*\*/)[ \t\r]*$"
    else:
        pattern = rb"^[ \t]*(#(?!!)[^\r\n]*)[ \t\r]*$"
    return Scan([Span(*found.span(1)) for found in re.finditer(pattern, source, re.MULTILINE)])
