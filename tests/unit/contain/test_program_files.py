"""What a program is made of: enough to run it, never a folder that holds more than programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from pytest_reviewbench.contain.program_files import program_files


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program_files.cache_clear()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def script(path: Path, first_line: str = "#!/bin/sh") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{first_line}\n")
    path.chmod(0o755)
    return path


def shown(program: str | Path, search_path: str = os.defpath) -> set[Path]:
    return set(map(Path, program_files(str(program), search_path)))


def visible(path: Path, shown: Iterable[Path]) -> bool:
    return any(path.is_relative_to(root) for root in shown)


@pytest.mark.parametrize("program", ["/bin/true", "/bin/sh", "/usr/bin/env", "sh", sys.executable])
def test_nothing_that_holds_the_system_or_a_home_is_shown(program: str) -> None:
    for path in shown(program):
        assert path.parts != ("/",)
        for kept in ("/usr", "/etc", "/tmp", str(Path.home())):
            assert not Path(kept).is_relative_to(path), path


def test_a_script_in_a_project_shows_itself_and_not_what_lies_beside_it(tmp_path: Path) -> None:
    program = script(tmp_path / "project" / "bin" / "review")
    (tmp_path / "project" / "corpus").mkdir()
    assert program in shown(program)
    assert not visible(tmp_path / "project" / "corpus", shown(program))
    assert not visible(tmp_path / "project" / "bin", shown(program))


def test_a_program_in_the_home_does_not_show_the_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    program = script(home / "bin" / "tool")
    (home / "lib" / "node_modules").mkdir(parents=True)
    (home / "lib" / "python3.11").mkdir()
    (home / "lib" / "python3.11" / "os.py").touch()
    found = shown(program)
    assert visible(home / "lib" / "node_modules" / "tool", found)
    assert not visible(home / "secret", found)


def test_a_program_in_a_virtual_environment_shows_the_environment_and_its_base(tmp_path: Path) -> None:
    program = script(tmp_path / "project" / ".venv" / "bin" / "tool")
    (tmp_path / "project" / ".venv" / "pyvenv.cfg").touch()
    (tmp_path / "project" / ".venv" / "bin" / "python").symlink_to(os.path.realpath(sys.executable))
    found = shown(program)
    assert visible(tmp_path / "project" / ".venv" / "lib", found)
    assert visible(Path(os.__file__), found) or os.__file__.startswith("/usr/")
    assert not visible(tmp_path / "project" / "pyproject.toml", found)


def test_every_link_on_the_way_is_shown_and_the_file_behind_them(tmp_path: Path) -> None:
    program = script(tmp_path / "opt" / "tool-2" / "tool")
    (tmp_path / "opt" / "tool").symlink_to("tool-2/tool")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "tool").symlink_to(tmp_path / "opt" / "tool")
    found = shown(tmp_path / "links" / "tool")
    assert {tmp_path / "links" / "tool", tmp_path / "opt" / "tool", program} <= found


@pytest.mark.parametrize(
    "line", ["#!{}", "#! {} -x", "#!/usr/bin/env interpreter", "#!/usr/bin/env -S interpreter -x"]
)
def test_the_interpreter_that_the_first_line_names_is_shown(tmp_path: Path, line: str) -> None:
    interpreter = script(tmp_path / "langs" / "interpreter")
    program = script(tmp_path / "tool", line.format(interpreter))
    assert interpreter in shown(program, f"{interpreter.parent}:/usr/bin")


def test_a_node_program_shows_the_packages_it_lies_among(tmp_path: Path) -> None:
    modules = tmp_path / "prefix" / "lib" / "node_modules"
    program = script(modules / "agent" / "cli.js", "#!/usr/bin/env node")
    (tmp_path / "prefix" / "bin").mkdir()
    (tmp_path / "prefix" / "bin" / "agent").symlink_to("../lib/node_modules/agent/cli.js")
    found = shown(tmp_path / "prefix" / "bin" / "agent")
    assert program in found
    assert visible(modules / "dependency" / "index.js", found)
    assert not visible(tmp_path / "prefix" / "share", found)


@pytest.mark.parametrize("line", ["#!", "#!/usr/bin/env", "#!\udcff", "", "#!/nowhere/at/all", "#!{}"])
def test_a_first_line_that_names_nothing_is_no_trouble(tmp_path: Path, line: str) -> None:
    program = tmp_path / "tool"
    program.write_bytes(line.format(program).encode("utf-8", "surrogateescape"))
    assert program in shown(program)


def test_a_name_that_is_not_there_shows_nothing() -> None:
    assert shown("no-such-program") == set()
