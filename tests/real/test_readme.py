"""Every command of the README does what the README says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.samples import BUG, write_case

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) for line in block.splitlines()]

REVIEWER = f"""#!{sys.executable}
import json, sys
assert sys.argv[1::2] == ["--diff", "--tree"], sys.argv
assert open(sys.argv[2]).read().startswith("diff --git")
print(json.dumps([{{"file": "pkg/a.py", "line": 2, "severity": "high", "text": "off by one"}}]))
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a corpus of one case and the README's own arm, its program on PATH."""
    write_case(tmp_path / "corpus", "py-1", bugs=[BUG])
    (arm,) = [block for block in re.findall(r"```toml\n(.*?)```", README, re.DOTALL) if "arms.my-reviewer" in block]
    (tmp_path / "pyproject.toml").write_text(arm)
    program = tmp_path / "bin" / "my-reviewer"
    program.parent.mkdir()
    program.write_text(REVIEWER)
    program.chmod(0o755)
    paths = [str(program.parent), str(Path(sys.executable).parent), os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(paths))
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:randomly -p no:hypothesispytest")
    return tmp_path


def shell(command: str, where: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-c", command], cwd=where, capture_output=True, text=True, check=False)


def test_the_readme_has_the_commands_that_are_tested_here_and_no_others() -> None:
    assert len(COMMANDS) == 10
    assert [command.startswith("python3 -m venv .venv && ") for command in COMMANDS] == [True, True, *[False] * 8]


def test_ci_runs_the_two_set_up_lines_as_they_stand_in_the_readme(tmp_path: Path) -> None:
    script = (ROOT / ".ci" / "run").read_text()
    (extract,) = re.findall(r"^readme\(\).*$", script, re.MULTILINE)
    for mark, command in zip(["main line", "test line"], COMMANDS, strict=False):
        assert f"bash -c \"$(readme '{mark}')\"" in script
        assert shell(f"{extract}\nreadme '{mark}'", ROOT).stdout.strip() == command


def test_the_table_of_twins_is_over_the_twins_that_its_commands_select(project: Path) -> None:
    asked = [command for command in COMMANDS if "--reviewbench-twins" in command]
    counted = re.findall(r"^  arm +claimed .*\n  tools +0/(\d+) ", README, re.MULTILINE)
    assert len(asked) == len(counted) == 2
    for command, twins in zip(asked, counted, strict=True):
        done = shell(f"{command} --collect-only -q", ROOT)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.count(".twin::tools") == int(twins)


def test_an_arm_of_ones_own_beside_the_analysers(project: Path) -> None:
    (command,) = [command for command in COMMANDS if "my-reviewer" in command]
    done = shell(command, project)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((project / ".reviewbench/runs/report.json").read_text())
    assert report["arms"]["my-reviewer"]["numbers"]["recall_strict"] == 1
    assert report["arms"]["tools"]["numbers"]["ok"] == 1


def test_a_gate_in_ci_and_a_run_read_again(project: Path) -> None:
    (gated,) = [command for command in COMMANDS if "--junitxml" in command]
    done = shell(gated, project)
    assert done.returncode == 1, done.stdout + done.stderr  # the analysers do not name this bug
    assert (project / "review.xml").is_file()
    _, listed, shown = [command for command in COMMANDS if command.startswith("reviewbench")]
    runs = shell(listed, project)
    assert runs.returncode == 0, runs.stderr
    name = runs.stdout.split()[0]
    markdown = shell(shown.replace("RUN", name), project)
    assert markdown.returncode == 0, markdown.stderr
    assert markdown.stdout.startswith("# Review benchmark")
    assert name in markdown.stdout


def test_a_session_is_compared_with_a_run_that_was_kept(project: Path) -> None:
    in_session, outside = [command for command in COMMANDS if "baseline" in command]
    first = shell(in_session, project)
    assert first.returncode == 0, first.stdout + first.stderr
    assert "nothing was compared" in first.stdout
    (run,) = [path.parent for path in (project / ".reviewbench/runs").glob("*/COMPLETE")]
    run.rename(project / "baseline")
    again = shell(in_session, project)
    assert again.returncode == 0, again.stdout + again.stderr
    assert "compared with the baseline" in again.stdout
    (run,) = [path.parent for path in (project / ".reviewbench/runs").glob("*/COMPLETE")]
    compared = shell(outside.replace("RUN", run.name), project)
    assert compared.returncode == 0, compared.stderr
    assert "found equally many of 1 bug (0)" in compared.stdout


def test_every_link_of_the_docs_leads_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "corpus/README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"
