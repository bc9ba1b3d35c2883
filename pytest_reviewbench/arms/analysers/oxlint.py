"""oxlint: JavaScript and TypeScript, its `correctness` rules and names that nothing defines."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import msgspec

from pytest_reviewbench.arms.analysers import severity
from pytest_reviewbench.arms.analysers.protocol import Found, Job, Report
from pytest_reviewbench.arms.analysers.sources import Source, rewrite

SUFFIXES = frozenset({".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx", ".vue"})

OFF = (
    "eslint/no-control-regex", "eslint/no-unused-expressions", "eslint/no-unused-vars", "eslint/no-useless-escape",
    "unicorn/no-empty-file", "unicorn/no-new-array", "unicorn/no-useless-spread",
)  # fmt: skip
"""Rules of `correctness` that are style in practice."""

ENVIRONMENTS = (
    "amd", "browser", "builtin", "commonjs", "jasmine", "jest", "jquery", "mocha", "node", "qunit",
    "serviceworker", "vitest", "webextensions", "worker",
)  # fmt: skip
"""Where the code may run is not known; a name that exists in any of these is taken as defined."""

SETTINGS = {
    "plugins": ["eslint", "import", "node", "oxc", "promise", "typescript", "unicorn"],
    "categories": {"correctness": "warn"},
    "env": dict.fromkeys(ENVIRONMENTS, True),
    "globals": {"Bun": "readonly", "Deno": "readonly"},
    "rules": {"eslint/no-undef": "error", **dict.fromkeys(OFF, "off")},
}


class Span(msgspec.Struct, frozen=True):
    line: int
    column: int


class Label(msgspec.Struct, frozen=True):
    span: Span


class Diagnostic(msgspec.Struct, frozen=True):
    """One record of `diagnostics`, as far as it is used. No code: the file could not be parsed or read."""

    message: str
    filename: str | None = None
    code: str | None = None
    labels: list[Label] = []


class Output(msgspec.Struct, frozen=True):
    diagnostics: list[Diagnostic]
    number_of_files: int


class Oxlint:
    """`oxlint`, a linter."""

    name = "oxlint"
    languages = frozenset({"javascript", "typescript"})

    def takes(self, source: Source) -> bool:
        return source.suffix in SUFFIXES and ".min." not in source.name

    def analyse(self, job: Job) -> Report:
        settings = job.home / "oxlint.json"
        settings.write_text(json.dumps(SETTINGS), encoding="utf-8")
        rewrite(job.tree, {source.path: unsuppressed(source.data) for source in job.sources})
        isolated = ["-f", "json", "-c", str(settings), "--disable-nested-config", "--no-ignore", "--"]
        return _linted(job, isolated, job.sources)


def unsuppressed(data: bytes) -> bytes:
    """The code with its `eslint-disable` comments made void, at the same length: oxlint has no switch for it."""
    return re.sub(rb"(?i)\b((?:eslint|oxlint)-)d(?=isable)", rb"\1x", data)


def declared(data: bytes) -> frozenset[str]:
    """The names of all `/* global a, b: writable */` comments, which oxlint does not know."""
    lists = re.findall(r"/\*\s*globals?\s([^*]*)\*/", data.decode())
    return frozenset(name for names in lists for name in re.findall(r"([\w$]+)\s*(?::\s*\w+)?", names))


def _linted(job: Job, isolated: Sequence[str], sources: Sequence[Source]) -> Report:
    # The text "No files found" stands before the JSON of an empty run.
    output = job.run([*isolated, *(source.argument for source in sources)], start=b"{")
    read = job.read(output, Output)
    unplaced = [said for said in read.diagnostics if said.code is None and not said.labels]
    if not unplaced and read.number_of_files == len(sources):
        return Report(_found(job, read.diagnostics), output=output["diagnostics"])
    if len(sources) == 1:
        reason = unplaced[0].message if unplaced else "it does not take it for a file to lint"
        return Report(unread={sources[0].path: reason}, output=output["diagnostics"])
    # It does not say which file it could not read.
    single = [_linted(job, isolated, [source]) for source in sources]
    return Report(
        found=[found for report in single for found in report.found],
        unread={path: reason for report in single for path, reason in report.unread.items()},
        output=[record for report in single for record in report.output],
    )


def _found(job: Job, diagnostics: Sequence[Diagnostic]) -> list[Found]:
    globals_of = {source.path: declared(source.data) for source in job.sources}
    found = []
    for said in diagnostics:
        path, code = job.source(said.filename or "").path, said.code or "parse-error"
        undefined = re.match(r"'(.+?)' is not defined", said.message) if code == "eslint(no-undef)" else None
        if undefined and undefined[1] in globals_of[path]:
            continue
        where = said.labels[0].span if said.labels else Span(1, 1)
        found.append(Found(path, where.line, where.column, code, said.message, severity.of_oxlint(code)))
    return found
