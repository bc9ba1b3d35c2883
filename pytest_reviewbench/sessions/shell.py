"""A line for a shell -> the commands in it, as words. For lines that models write; runs and expands nothing."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh"))
INTERPRETERS = frozenset(("python", "python2", "python3", "node", "nodejs", "perl", "ruby", "deno", "bun"))
CODE_OPTIONS = frozenset(("-c", "-e", "-p", "-pe", "-ne", "-E", "--eval", "--print"))

_WRAPPERS = frozenset(
    ("env", "sudo", "time", "command", "exec", "nohup", "stdbuf", "nice", "builtin", "xargs", "timeout")
)
_KEYWORDS = frozenset(("if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "fi", "done"))
_ENDS = re.compile(r"[;|&()\n]+")
_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1([^\n]*)\n(.*?)(?:\n[ \t]*\2(?=\n|\Z)|\Z)", re.DOTALL)
_COMMENT = re.compile(r"(?:^|(?<=[\s;]))#[^'\"\n]*$", re.MULTILINE)
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
_SUBSTITUTED = re.compile(r"\$\(([^()]*)\)")
_BACKTICKS = re.compile(r"`([^`]*)`")
_ARITHMETIC = re.compile(r"\$\(\([^()]*\)\)")
_DEEPEST = 4
_LONGEST = 50_000


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a line.

    `program` is its name without folders; `words` what follows, without what is written to; `assigned` the values
    of variables before it; `code` is what an interpreter is to run.
    """

    program: str
    words: tuple[str, ...]
    assigned: tuple[str, ...] = ()
    code: str | None = None


def commands_of(line: str, depth: int = 0) -> Iterator[Command]:
    """Every command of `line` in order, also those within `bash -c`, `$(...)`, `eval` and pipes. Never raises."""
    if depth > _DEEPEST:
        return
    documents: list[str] = []

    def taken(found: re.Match[str]) -> str:
        documents.append(found[4])
        return f"{found[3]}\n"

    line = _HEREDOC.sub(taken, line[:_LONGEST].replace("\\\n", " "))
    for found in _BACKTICKS.finditer(line):
        yield from commands_of(found[1], depth + 1)
    for words in _sentences(_ARITHMETIC.sub("0", _BACKTICKS.sub("_", line))):
        yield from _commands(words, documents, depth)


def _sentences(line: str) -> Iterator[list[str]]:
    """The words of each command, redirections among them."""
    line = _COMMENT.sub("", line)
    lexer = shlex.shlex(line, posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:  # a quote that is never closed
        words = re.sub(r"([;|&()<>\n]+)", r" \1 ", line.replace("'", " ").replace('"', " ")).split(" ")
    sentence: list[str] = []
    for word in words:
        if _ENDS.fullmatch(word):
            yield sentence
            sentence = []
        elif word:
            sentence.append(word)
    yield sentence


def _commands(words: list[str], documents: list[str], depth: int) -> Iterator[Command]:
    for word in words:
        for found in _SUBSTITUTED.finditer(word):
            yield from commands_of(found[1], depth + 1)
    words, read = _without_redirections(words)
    assigned = []
    while words and (_ASSIGNED.match(words[0]) or words[0] in _KEYWORDS):
        word = words.pop(0)
        if "=" in word:
            assigned.append(word.partition("=")[2])
    while words and words[0].rpartition("/")[2] in _WRAPPERS:
        wrapper = words.pop(0).rpartition("/")[2]
        while words and (words[0].startswith("-") or _ASSIGNED.match(words[0]) or words[0].isdigit()):
            words.pop(0)
        if wrapper == "timeout" and words and re.fullmatch(r"[\d.]+[smhd]?", words[0]):
            words.pop(0)
    if not words:
        if assigned or read:
            yield Command("", tuple(read), tuple(assigned))
        return
    program, rest = words[0].rpartition("/")[2], words[1:]
    if program in SHELLS:
        where = next((n for n, word in enumerate(rest) if re.fullmatch(r"-[a-z]*c", word)), None)
        if where is not None and where + 1 < len(rest):
            yield from commands_of(rest[where + 1], depth + 1)
            return
        if documents:
            yield from commands_of(documents.pop(0), depth + 1)
    if program == "eval":
        yield from commands_of(" ".join(rest), depth + 1)
        return
    code = None
    if re.sub(r"[\d.]+$", "", program) in INTERPRETERS:
        where = next((n for n, word in enumerate(rest) if word in CODE_OPTIONS), None)
        if where is not None and where + 1 < len(rest):
            code = rest[where + 1]
            rest = [*rest[:where], *rest[where + 2 :]]
        elif documents and (not rest or rest[0] == "-"):
            code = documents.pop(0)
    yield Command(program, (*rest, *read), tuple(assigned), code)


def _without_redirections(words: list[str]) -> tuple[list[str], list[str]]:
    """`words` without redirections, and the files that are read by some."""
    kept: list[str] = []
    read: list[str] = []
    into: list[str] | None = kept
    for word in words:
        if re.fullmatch(r"[<>&]+", word):
            into = read if word in ("<", "<>") else None
            if kept and kept[-1].isdigit():
                kept.pop()
            continue
        if into is not None:
            into.append(word)
        into = kept
    return kept, read
