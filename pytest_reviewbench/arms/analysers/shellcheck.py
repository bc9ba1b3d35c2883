"""shellcheck: scripts for sh, bash, dash and ksh."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

import msgspec

from pytest_reviewbench.arms.analysers import severity
from pytest_reviewbench.arms.analysers.protocol import Found, Job, Report
from pytest_reviewbench.arms.analysers.sources import Source, rewrite

EXCLUDE = ("SC1090", "SC1091", "SC2034", "SC2148", "SC2155", "SC2317", "SC2329")
"""Files that are sourced and not there, code whose user is another file, and a missing shebang."""

UNREADABLE = ("SC1008", "SC1071")
"""Codes that say: this is in no language I know. What else is said of such a file means nothing."""

DIALECTS = {".sh": "sh", ".ash": "sh", ".bash": "bash", ".bats": "bash", ".ksh": "ksh", ".dash": "dash"}
DOTFILES = {
    ".profile": "sh", ".bashrc": "bash", ".bash_aliases": "bash", ".bash_login": "bash", ".bash_logout": "bash",
    ".bash_profile": "bash", ".kshrc": "ksh",
}  # fmt: skip
SHELL = re.compile(r"(^|[\s/])(ash|bash|bats|dash|ksh|sh)\d*(\s|$)")
DIRECTIVE = re.compile(rb"#[ \t]*shellcheck[ \t][^\r\n]*")
NAMED_DIALECT = re.compile(rb"\sshell=[a-z]+")


class Comment(msgspec.Struct, frozen=True):
    """One record of `-f json1`, as far as it is used."""

    file: str
    line: int
    column: int
    level: str
    code: int
    message: str


class Output(msgspec.Struct, frozen=True):
    comments: list[Comment]


class Shellcheck:
    """`shellcheck`, a linter."""

    name = "shellcheck"
    languages = frozenset({"shell"})

    def takes(self, source: Source) -> bool:
        if source.suffix:
            return source.suffix in DIALECTS
        if source.shebang is not None:
            return SHELL.search(source.shebang) is not None
        # Without extension and shebang: `husky` and `functions` are scripts, LICENSE and Makefile are not.
        return source.name in DOTFILES or (source.name[:1].islower() and source.name != "makefile")

    def analyse(self, job: Job) -> Report:
        rewrite(job.tree, {source.path: unsuppressed(source.data) for source in job.sources})
        groups: dict[str | None, list[str]] = defaultdict(list)
        for source in job.sources:
            groups[dialect(source)].append(source.argument)
        output: list[Any] = []
        for name, paths in sorted(groups.items(), key=lambda group: group[1]):
            chosen = [] if name is None else ["-s", name]
            said = job.run(["-f", "json1", "--norc", "-e", ",".join(EXCLUDE), *chosen, "--", *paths])
            job.read(said, Output)
            output += said["comments"]
        return _report(job, output)


def dialect(source: Source) -> str | None:
    """The shell that a file is written for by its name; None when the file itself says it."""
    if source.shebang is not None or any(NAMED_DIALECT.search(found) for found in DIRECTIVE.findall(source.data)):
        return None
    return DOTFILES.get(source.name) or DIALECTS.get(source.suffix, "sh")


def unsuppressed(data: bytes) -> bytes:
    """The script with its `# shellcheck ...` comments made void at the same length, apart from `shell=`.

    shellcheck has no switch for it. The shell stays: it is a fact of the code, as a shebang is.
    """

    def void(directive: re.Match[bytes]) -> bytes:
        comment = directive[0]
        if named := NAMED_DIALECT.search(comment):
            start = comment.index(b"shellcheck") + len(b"shellcheck")
            kept = comment[:start] + b" " * (named.start() - start) + named[0]
            return kept.ljust(len(comment))
        return comment.replace(b"shellcheck", b"shellchXck", 1)

    return DIRECTIVE.sub(void, data)


def _report(job: Job, output: list[Any]) -> Report:
    comments = job.read(output, list[Comment])
    unread = {
        job.source(said.file).path: f"not a dialect that shellcheck reads ({code})"
        for said in comments
        if (code := f"SC{said.code}") in UNREADABLE
    }
    found = []
    for said in comments:
        path, code = job.source(said.file).path, f"SC{said.code}"
        if path not in unread:
            grave = severity.of_shellcheck(code, said.level)
            found.append(Found(path, said.line, said.column, code, said.message, grave))
    return Report(found, unread, output)
