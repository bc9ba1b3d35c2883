"""pyrefly: Python, what a type checker knows without the project's dependencies."""

from __future__ import annotations

import re

import msgspec

from pytest_reviewbench.arms.analysers import severity
from pytest_reviewbench.arms.analysers.protocol import Found, Job, Report
from pytest_reviewbench.arms.analysers.ruff import is_python
from pytest_reviewbench.arms.analysers.sources import Source

IGNORE = (
    "missing-import", "untyped-import", "missing-source", "missing-source-for-stubs",
    "deprecated", "unnecessary-type-conversion", "redundant-cast", "implicit-import",
    "bad-override", "bad-override-param-name", "bad-override-mutable-attribute", "non-convergent-recursion",
)  # fmt: skip
"""What follows from dependencies that are not there, and what is style or an old habit."""

ARGUMENTS = (
    "--output-format", "json", "--summary=none", "--progress-bar", "no", "--color", "never", "-j", "2",
    # Without it the site-packages of whichever python is on PATH decide what is found.
    "--skip-interpreter-query", "--python-version", "3.12", "--python-platform", "linux",
    "--disable-search-path-heuristics=true",
    "--use-ignore-files=false", "--disable-project-excludes-heuristics=true",
    # There is no "none". Comments of the rarest checker stay in force; `type: ignore` and its like do not.
    "--enabled-ignores", "zuban",
    "--ignore", ",".join(IGNORE),
)  # fmt: skip


class Diagnostic(msgspec.Struct, frozen=True):
    """One record of `errors`, as far as it is used."""

    line: int
    column: int
    path: str
    name: str
    severity: str
    concise_description: str


class Output(msgspec.Struct, frozen=True):
    errors: list[Diagnostic]


class Pyrefly:
    """`pyrefly check`, a type checker."""

    name = "pyrefly"
    languages = frozenset({"python"})

    def takes(self, source: Source) -> bool:
        return is_python(source)

    def analyse(self, job: Job) -> Report:
        hidden = {source.path: "it skips hidden files" for source in job.sources if source.name.startswith(".")}
        sources = [source for source in job.sources if source.path not in hidden]
        if not sources:  # without a file it would check a whole project
            return Report(unread=hidden)
        settings = job.home / "pyrefly.toml"
        settings.write_bytes(b"")
        isolated = ["check", "-c", str(settings), "--search-path", str(job.tree)]
        output = job.run([*isolated, *ARGUMENTS, "--", *(literal(source.argument) for source in sources)])
        found = []
        for said in job.read(output, Output).errors:
            path, message = job.source(said.path).path, said.concise_description
            grave = severity.of_pyrefly(said.name, said.severity, message)
            found.append(Found(path, said.line, said.column, said.name, message, grave))
        return Report(found, hidden, output["errors"])


def literal(path: str) -> str:
    """A glob that only `path` itself matches: pyrefly takes its file arguments for globs."""
    return re.sub(r"[\[*?]", r"[\g<0>]", path)
