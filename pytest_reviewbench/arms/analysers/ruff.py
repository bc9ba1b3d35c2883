"""ruff: Python, the rules that name bugs and none that name style."""

from __future__ import annotations

import msgspec

from pytest_reviewbench.arms.analysers import severity
from pytest_reviewbench.arms.analysers.protocol import Found, Job, Report
from pytest_reviewbench.arms.analysers.sources import Source

SELECT = (
    "F", "E9", "B", "PLE", "ASYNC", "LOG",
    "RUF006", "RUF009", "RUF016", "RUF018", "RUF024", "RUF034", "RUF060", "RUF071",
    "PLW0120", "PLW0127", "PLW0128", "PLW0129", "PLW0131", "PLW0133", "PLW0177", "PLW0211", "PLW0245",
    "PLW0406", "PLW0602", "PLW0711", "PLW1501", "PLW1508", "PLW1509", "PLW2101",
    "S102", "S202", "S301", "S302", "S306", "S307", "S313", "S314", "S315", "S316", "S317", "S318", "S319",
    "S323", "S501", "S506", "S602", "S605",
)  # fmt: skip
IGNORE = ("F401", "F403", "F405", "F841", "F541", "B904", "B905", "B028", "B007")
"""Unused names and imports, star imports, and matters of opinion: true, and never the bug."""

ARGUMENTS = (
    "check", "--isolated", "--no-cache", "--ignore-noqa", "--no-respect-gitignore", "--target-version", "py312",
    "--output-format", "json", "--select", ",".join(SELECT), "--ignore", ",".join(IGNORE), "--",
)  # fmt: skip


class Location(msgspec.Struct, frozen=True):
    row: int
    column: int


class Diagnostic(msgspec.Struct, frozen=True):
    """One record of `--output-format json`, as far as it is used."""

    code: str | None
    filename: str
    location: Location
    message: str


class Ruff:
    """`ruff check`, a linter."""

    name = "ruff"
    languages = frozenset({"python"})

    def takes(self, source: Source) -> bool:
        return is_python(source)

    def analyse(self, job: Job) -> Report:
        output = job.run([*ARGUMENTS, *(source.argument for source in job.sources)])
        found, unread = [], {}
        for said in job.read(output, list[Diagnostic]):
            path, code = job.source(said.filename).path, said.code or "invalid-syntax"
            if code == "E902":
                unread[path] = said.message
                continue
            where = said.location
            found.append(Found(path, where.row, where.column, code, said.message, severity.of_ruff(code)))
        return Report(found, unread, output)


def is_python(source: Source) -> bool:
    """A module, a stub or a script. Not a notebook: its lines are not those of the change."""
    if not source.suffix:
        return "python" in (source.shebang or "")
    return source.suffix in (".py", ".pyi", ".pyw")
