"""`reviewbench doctor`."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pytest_reviewbench import codec
from pytest_reviewbench.errors import SettingsError, one_line

if TYPE_CHECKING:
    from pytest_reviewbench.machine.check import Check, Checkup

WIDTH = 100
NAME_WIDTH = 26
VERSION_WIDTH, USUAL_VERSION = 18, 10
INDENT = "  "
TITLES = {
    "python": "Python",
    "pytest": "pytest and plugins",
    "analysers": "Analysers of the arm `tools`",
    "agents": "Agents of the arms `plain`, `perun` and `perun-gap`",
    "sandbox": "Sandbox",
    "git": "git",
    "registries": "Package registries",
    "folders": "Folders",
    "project": "The project in this folder",
}


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="print a JSON object")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="ask no package registry")] = False,
) -> None:
    """Say what this machine has for reviews: usable or not, which version, what would run, what to do.

    Tries Python, pytest and its plugins, the analysers, agents, the sandbox, git, the package registries, the
    folders that are written, and the corpus and arms of the project in this folder. Spends nothing, installs
    nothing, starts no review. Exit status 0: all that the arm `tools` needs is usable; 1: something is not.
    """
    from pytest_reviewbench.machine.checkup import check_machine  # here: it imports what the other verbs need not

    try:
        here = Path.cwd()
    except OSError as e:
        raise SettingsError(f"this folder cannot be read: {e.strerror}; go to another one") from None
    silent = io.StringIO()  # what other packages print while they are loaded is no part of this
    with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
        made = check_machine(here, os.environ, offline=offline)
    text = codec.encode(made).decode() if as_json else "\n".join(lines(made)) + "\n"
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    if not made.usable:
        raise typer.Exit(1)


def lines(made: Checkup) -> Iterator[str]:
    """A table per group, within 100 columns, and whether the main line can run."""
    width = min(NAME_WIDTH, max(len(check.name) for check in made.checks))
    for group, title in TITLES.items():
        checks = [check for check in made.checks if check.group == group]
        if checks:
            yield title
        for check in checks:
            yield from _row(check, width)
        if checks:
            yield ""
    wrong = [f"{check.name} is {check.state}" for check in made.checks if check.needed and check.state != "usable"]
    verdict = "usable: pytest --reviewbench-arm tools"
    if made.offline:
        verdict += " --reviewbench-offline, with what is in the cache; no registry was asked"
    if wrong:
        verdict = f"not usable: pytest --reviewbench-arm tools; {', '.join(wrong)}"
    yield from textwrap.wrap(verdict, WIDTH, break_on_hyphens=False)


def _row(check: Check, width: int) -> Iterator[str]:
    name = _cut(check.name, width)
    version = _cut(check.version or "–", VERSION_WIDTH).ljust(USUAL_VERSION)
    row = f"{INDENT}{name.ljust(width)}  {check.state.ljust(7)}  {version}  "
    room = WIDTH - len(row)
    below = [(said, mark) for said, mark in ((check.detail, ""), (check.advice, "do: ")) if said]
    if check.runs:
        row += _cut(one_line(shlex.join(check.runs)), room, from_left=len(check.runs) == 1)
    elif below and len("".join(reversed(below[0]))) <= room:
        row += "".join(reversed(below.pop(0)))
    yield row.rstrip()
    margin = " " * (width + 4)
    for said, mark in below:
        yield from textwrap.wrap(
            mark + said, WIDTH, initial_indent=margin, subsequent_indent=margin + " " * len(mark),
            break_on_hyphens=False,
        )  # fmt: skip


def _cut(text: str, width: int, *, from_left: bool = False) -> str:
    """Of a long path its end tells more; --json has all of it."""
    if len(text) <= width:
        return text
    return "…" + text[len(text) - width + 1 :] if from_left else text[: width - 1] + "…"
