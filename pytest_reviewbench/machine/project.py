"""The project in this folder, where there is one: its settings, its corpus, its arms."""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_reviewbench.arm_spec import read_arm_spec
from pytest_reviewbench.arms.families import build_arms, collect_families
from pytest_reviewbench.arms.protocol import Family, Host
from pytest_reviewbench.connection import Connection
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.contain.search import Searcher
from pytest_reviewbench.corpus import layout
from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.launch import check_committed
from pytest_reviewbench.machine.check import Found, Task
from pytest_reviewbench.settings import LLM, folder_settings
from pytest_reviewbench.settings_reader import arm_table, tool_table
from pytest_reviewbench.shipped_corpus import shipped_corpus

TEST_MODULES = ("test_*.py", "*_test.py")
"""pytest's own default of python_files."""
TIMEOUT = 60.0
FILE = "pyproject.toml"


@dataclass(frozen=True, slots=True)
class Project:
    """`table` is [tool.reviewbench] of the folder's pyproject.toml; `mistake`: why it cannot be used."""

    folder: Path
    corpus: Path
    runs: Path
    table: Mapping[str, Any] = field(default_factory=dict)
    wants_sandbox: bool = False
    mistake: str | None = None

    @property
    def file(self) -> Path:
        return self.folder / FILE


def read_project(folder: Path) -> Project:
    """The project of `folder` itself; the folders above and ini files are not looked at."""
    try:
        table, given = tool_table(folder / FILE), folder_settings(folder)
        if not isinstance(table.get("arms", {}), dict):
            raise SettingsError(f"{folder / FILE}: [tool.reviewbench.arms] must be a table")
    except SettingsError as e:
        return Project(folder, folder / "corpus", folder / ".reviewbench" / "runs", mistake=str(e))
    return Project(folder, given.corpus, given.runs, table, given.strict or given.sandbox == "bwrap")


def tasks(project: Project, children: Children) -> Iterator[Task]:
    """Nothing where there is no project."""
    if project.table or project.mistake:
        yield Task("project", FILE, lambda: settings(project), needed=True)
    own = project.corpus != shipped_corpus() or project.corpus.parent == project.folder
    if "corpus" in project.table or (own and os.path.lexists(project.corpus / layout.INDEX)):
        yield Task("project", "corpus", lambda: corpus(project.corpus), needed=True)
    for name in project.table.get("arms", {}):
        yield Task("project", f"arm {name}", lambda name=name: arm(project, name, children))  # type: ignore[misc]


def settings(project: Project) -> Found:
    if project.mistake:
        return Found("broken", advice=project.mistake)
    return Found("usable", detail=f"{project.file}, [tool.reviewbench]")


def corpus(folder: Path) -> Found:
    """Loads it as a session would, and looks at every change that is committed."""
    layout.refuse_code(folder, TEST_MODULES)
    searcher = Searcher()
    try:
        loaded = load_corpus(folder, searcher.search)
    finally:
        searcher.close()
    check_committed(loaded.cases.values())
    sides = ", ".join(f"{len(loaded.select(side))} {side}" for side in ("test", "train"))
    parts = [f"{folder}, {len(loaded.cases)} cases: {sides}"]
    parts += [f"{len(loaded.absent)} without a folder"] if loaded.absent else []
    parts += [f"{len(loaded.warnings)} warnings, first: {loaded.warnings[0]}"] if loaded.warnings else []
    return Found("usable", detail="; ".join(parts))


def arm(project: Project, name: str, children: Children) -> Found:
    """Builds it and asks it nothing. Raises `SettingsError` for one that cannot be built."""
    spec = read_arm_spec(name, arm_table(project.file, project.table, name))
    families = collect_families(())
    if spec.family not in families:
        families = collect_families(_installed_families())
    if spec.family not in families and (project.folder / "conftest.py").is_file():
        return Found(
            "limited", detail=f"family {spec.family!r} is of no installed package; a conftest.py may add it",
            advice=f"ask pytest, which runs it: pytest --reviewbench-arm {name} --collect-only",
        )  # fmt: skip
    connection = folder_settings(project.folder).connection if spec.agent == LLM else Connection()
    build_arms([spec], families, Host(children, TIMEOUT, environ=os.environ, connection=connection))
    if spec.argv is None:
        return Found("usable", detail=f"family {spec.family}")
    program = spec.argv[0]
    found = os.path.abspath(project.folder / program) if "/" in program else find_program(program)
    if found is None or not os.access(found, os.X_OK):
        return Found("missing", detail=f"no program {program}", advice="install it, or correct argv")
    return Found("usable", runs=(found, *spec.argv[1:]), detail=f"family {spec.family}")


def _installed_families() -> Iterator[Family]:
    """What installed plugins of pytest add. One that cannot be imported adds nothing, and pytest will say so."""
    for entry in importlib.metadata.entry_points(group="pytest11"):
        try:
            added = list(entry.load().pytest_reviewbench_families())
        except Exception:  # noqa: S112 (most have no such function)
            continue
        yield from added
