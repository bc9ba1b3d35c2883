"""The analysers of the arm `tools`, asked where and as the arm runs them."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_reviewbench.arms.tools import ANALYSERS, HOW_TO_INSTALL, VERSION_SECONDS, environment
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.machine.asking import ask_version
from pytest_reviewbench.machine.check import Found, Task
from pytest_reviewbench.machine.containment import Containment


def tasks(containment: Containment) -> Iterator[Task]:
    for analyser in ANALYSERS:
        languages = ", ".join(sorted(analyser.languages))

        def look(name: str = analyser.name, languages: str = languages) -> Found:
            return asked(name, languages, containment)

        yield Task("analysers", analyser.name, look, needed=True)


def asked(name: str, languages: str, containment: Containment) -> Found:
    program = find_program(name)
    if program is None:
        return Found("missing", detail=f"for {languages}", advice=HOW_TO_INSTALL)
    containment.sandbox()
    return ask_version(
        containment.children, program, environment=environment, seconds=VERSION_SECONDS, install=HOW_TO_INSTALL,
        contained=True,
    )  # fmt: skip
