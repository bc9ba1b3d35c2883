"""A tool call -> what it looks at: paths as they were written, look-ups of packages, history, the web.

The tables say which programs ask what. A pattern that is searched for is no path, nor is what is written to.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_reviewbench.sessions.protocol import Call
from pytest_reviewbench.sessions.shell import Command, commands_of

GIT_HISTORY = frozenset((
    "log", "show", "blame", "annotate", "reflog", "rev-list", "cat-file", "shortlog", "whatchanged", "ls-tree",
    "fsck", "bisect", "checkout", "restore", "switch", "worktree", "archive", "bundle", "format-patch", "describe",
    "name-rev", "cherry", "range-diff", "stash", "for-each-ref", "show-ref",
))  # fmt: skip
GIT_UPSTREAM = frozenset(("clone", "fetch", "pull", "ls-remote", "submodule"))
_REVISION = re.compile(
    r"(?:HEAD|ORIG_HEAD|FETCH_HEAD)\b.*|.*(?:~\d*|\^\d*|@\{.*\})|[\w/.-]+\.\.\.?[\w/.-]*|[0-9a-f]{7,40}"
)

FOREIGN = re.compile(r"mcp", re.IGNORECASE)
"""In the names of tools that are another program's (MCP): nobody can tell where those look."""

LOOKUPS = {
    "pip": ("download", "install", "show", "index", "search", "wheel"),
    "uv": ("add", "tool", "run", "sync", "pip"),
    "poetry": ("add", "show", "search", "install"),
    "conda": ("search", "install", "create"),
    "npm": ("view", "v", "info", "show", "pack", "install", "i", "ci", "add", "search", "docs", "repo", "explore"),
    "yarn": ("info", "add", "install", "why"),
    "pnpm": ("view", "info", "add", "install", "why"),
    "cargo": ("search", "info", "install", "add", "fetch"),
    "gem": ("fetch", "install", "info", "search"),
    "go": ("get", "install"),
    "apt": ("show", "source", "download", "install"),
    "apt-get": ("source", "download", "install"),
}
"""Programs that look packages up, and by which of their words."""
ALWAYS = {
    **dict.fromkeys(("npx", "pipx", "gh", "pydoc", "pydoc3"), "upstream"),
    **dict.fromkeys(("curl", "wget", "lynx", "w3m", "http", "https", "aria2c", "nc", "ncat", "netcat"), "web"),
    **dict.fromkeys(("telnet", "ssh", "scp", "ftp", "sftp"), "web"),
}
"""Programs that can do nothing else."""

PATTERN_FIRST = frozenset(
    ("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "sed", "awk", "gawk", "mawk", "jq")
)
"""Their first operand is what is searched for or done, not a file."""
NO_READERS = frozenset((
    "test", "[", "[[", "true", "false", "exit", "export", "which", "type", "hash", "alias", "set", "unset", "sleep",
    "kill", "trap", "pwd", "mkdir", "touch", "rm", "rmdir", "tee", "chmod", "basename", "dirname", "seq", "return",
))  # fmt: skip
SPEAKERS = frozenset(("echo", "printf", "for"))
"""They read no file, but a pattern among their words lists names."""
_GREP = frozenset(("-A", "-B", "-C", "-m", "-e", "--regexp"))
_FIND = frozenset((
    "-path", "-name", "-iname", "-ipath", "-wholename", "-regex", "-iregex", "-type", "-maxdepth", "-mindepth",
    "-size", "-newermt", "-mtime", "-printf",
))  # fmt: skip
_VALUED = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep"), _GREP),
    **dict.fromkeys(("rg", "ag", "ack"), _GREP | {"-g", "-t", "-T", "--glob", "--iglob", "--type"}),
    **dict.fromkeys(("awk", "gawk", "mawk"), frozenset(("-F", "-v"))),
    "sed": frozenset(("-e", "--expression")),
    "find": _FIND,
    "tree": frozenset(("-I", "-P", "-L")),
    "ls": frozenset(("-I",)),
    "git": frozenset(("-c", "--format", "--pretty")),
}
"""Options whose next word is no file."""
_PATTERN_OPTIONS = ("-e", "-f", "--regexp", "--expression", "--files")
_NOT_READ = re.compile(r"--(?:exclude|include|ignore|glob|iglob|format|pretty|regexp|type|color|colour)[a-z-]*=")

_OPENED = re.compile(
    r"\b(?:open|Path|PurePath|listdir|walk|scandir|i?glob|rglob|chdir|readFile(?:Sync)?|readdir(?:Sync)?|existsSync"
    r"|readlink|read_text|require|import|cd)\s*\(\s*[rbfu]{0,2}([\"'])([^\"'\n]{1,300})\1"
)
_STARTED = re.compile(
    r"\b(?:system|popen|run|call|check_output|check_call|Popen|execSync|exec|getoutput)\s*\(\s*[rbfu]{0,2}([\"'])(.{1,2000}?)\1",
    re.DOTALL,
)
_SOURCE = re.compile(
    r"inspect\.get(?:source|file)\w*|importlib\.(?:metadata|resources|util)|pkgutil\.\w+|site\.getsitepackages"
    r"|require\.resolve|\b(?!self\b)\w+\.__file__|__import__\([^)]{1,80}\)\.__file__|pydoc\.\w+"
)
_FETCHED = re.compile(
    r"\burl(?:open|retrieve)\b|\brequests\.(?:get|post|head|request)\b|\bhttpx\.\w+|\bhttp\.client\b|\bfetch\("
)
_CODE = (("upstream", _SOURCE), ("web", _FETCHED))
"""What code says that looks for the source of a package, or goes into the network."""


@dataclass(frozen=True, slots=True)
class Look:
    """A path as it was written, to be resolved from the folder `where`; or, without one, a look of this `kind`."""

    said: str
    path: str | None = None
    where: str = ""
    kind: str = "outside"


def looks_of(call: Call, folder: str) -> Iterator[Look]:
    """Everything that `call` looks at, whatever becomes of it. `folder` is where it was made."""
    for path in call.paths:
        yield Look(call.name, path, folder)
    if FOREIGN.search(call.name):
        yield Look(call.name)
    if call.web is not None:
        yield Look(call.name, kind="web")
    where = folder
    for command in commands_of(call.command) if call.command is not None else ():
        yield from _looks(command, where)
        if command.program in ("cd", "pushd") and command.words and "$" not in command.words[-1]:
            where = posixpath.normpath(posixpath.join(where, command.words[-1]))


def _looks(command: Command, where: str) -> Iterator[Look]:
    program = re.sub(r"(?<=pip|hon)[\d.]+\Z", "", command.program)
    words = list(command.words)
    if program == "python" and "-m" in words[:-1]:
        module = words[words.index("-m") + 1]
        if module in ("pip", "pydoc", "inspect", "site"):
            program, words = module, words[words.index("-m") + 2 :]
            if module != "pip":
                yield Look(f"python -m {module}", kind="upstream")
    if program in ALWAYS:
        yield Look(program, kind=ALWAYS[program])
    elif program == "rsync" and any(re.match(r"[\w.@-]+:", word) for word in words):
        yield Look(program, kind="web")
    elif program == "git":
        yield from _git(words)
    elif (asked := next((word for word in words if not word.startswith("-")), "")) in LOOKUPS.get(program, ()):
        yield Look(f"{program} {asked}", kind="upstream")
    if command.code is not None:
        yield from _in_code(command.code, command.program, where)
    for word in _read(program, words):
        yield Look(program, word, where)
    for word in command.assigned:
        if word.startswith(("/", "..", "~")):
            yield Look(f"{program}=".lstrip("="), word, where)


def _git(words: list[str]) -> Iterator[Look]:
    rest = list(words)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in ("-C", "-c", "--git-dir", "--work-tree") and rest:
            rest.pop(0)
    asked, rest = (rest[0], rest[1:]) if rest else ("", [])
    if asked in GIT_UPSTREAM:
        yield Look(f"git {asked}", kind="upstream")
    elif asked in GIT_HISTORY or (
        asked in ("diff", "grep")
        and "--no-index" not in rest
        and any(_REVISION.fullmatch(word[:200]) for word in rest)
    ):
        yield Look(f"git {asked}", kind="history")


def _in_code(code: str, program: str, where: str) -> Iterator[Look]:
    for kind, asked in _CODE:
        if found := asked.search(code):
            yield Look(f"{program}: {found[0]}", kind=kind)
    for found in _OPENED.finditer(code):
        if found[2].startswith(("/", "..", "~")) or "/.." in found[2] or ".git" in found[2]:
            yield Look(program, found[2], where)
    for found in _STARTED.finditer(code):
        for inner in commands_of(found[2], depth=1):
            yield from _looks(inner, where)


def _read(program: str, words: list[str]) -> Iterator[str]:
    """The words that can be paths of what `program` reads."""
    if program in NO_READERS:
        return
    if program in SPEAKERS:
        yield from (word for word in words if re.search(r"[*?\[]", word) and "/" in word)
        return
    valued = _VALUED.get(program, frozenset())
    named = any(word.partition("=")[0] in _PATTERN_OPTIONS for word in words)
    pattern_due = (program in PATTERN_FIRST and not named) or (program == "git" and "grep" in words[:1])
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in valued:
            skip = True
        elif word.startswith("-"):
            if "=" in word and not _NOT_READ.match(word):
                yield word.partition("=")[2]
        elif pattern_due and not (program == "git" and word == "grep"):
            pattern_due = False
        elif not word.startswith("!"):
            yield word
