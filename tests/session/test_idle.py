"""A project that has the plugin installed and measures no reviewer pays nothing for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_reviewbench.options import OPTIONS

ALLOWED = {
    "pytest_reviewbench",
    "pytest_reviewbench._version",
    "pytest_reviewbench.corpus",
    "pytest_reviewbench.corpus.layout",
    "pytest_reviewbench.errors",
    "pytest_reviewbench.hookspecs",
    "pytest_reviewbench.options",
    "pytest_reviewbench.plugin",
}
"""All that an idle session may import because of the plugin: no other module, not even of the standard library."""

RECORDER = """\
import json, os, sys

touched = []

def note(event, args):
    if event in ("open", "os.listdir", "os.scandir") and isinstance(args[0], (str, os.PathLike)):
        touched.append(os.fspath(args[0]))

sys.addaudithook(note)

def pytest_unconfigure():
    with open("recorded.json", "w") as file:
        json.dump({"modules": sorted(sys.modules), "touched": touched}, file)
"""
"""A plugin for `-p recorder`: loaded before all entry points, it sees what they import, open and list."""


@pytest.fixture(name="project")
def _project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with one test, in which every session can be recorded."""
    pytester.makepyfile(recorder=RECORDER, test_one="def test_one():\n    pass\n")
    monkeypatch.setenv("PYTHONPATH", str(pytester.path))
    return pytester


def write_large_corpus(corpus: Path, cases: int = 5_000) -> None:
    """As much of a corpus as a dormant plugin could stumble over."""
    ids = [f"py-{n:05}" for n in range(cases)]
    for case in ids:
        (corpus / case).mkdir(parents=True)
        (corpus / case / "ground-truth.json").write_text('{"bugs": []}')
    (corpus / "manifest.json").write_text(json.dumps([{"id": case, "split": "test"} for case in ids]))


def recorded(project: pytest.Pytester, *arguments: str) -> dict[str, list[str]]:
    """The imported modules and the touched paths of a session that passes."""
    result = project.runpytest_subprocess("-p", "recorder", "-p", "no:cacheprovider", *arguments)
    assert result.ret == 0, result.stdout.str()
    said: dict[str, list[str]] = json.loads((project.path / "recorded.json").read_text())
    return said


@pytest.mark.parametrize(
    "arguments", [(), ("--collect-only",), ("-n", "1")], ids=["plain", "collect only", "xdist"]
)
def test_an_idle_session_imports_nothing_outside_the_allow_list(
    project: pytest.Pytester, arguments: tuple[str, ...]
) -> None:
    write_large_corpus(project.path / "corpus", cases=3)
    without = set(recorded(project, "-p", "no:reviewbench", "test_one.py", *arguments)["modules"])
    assert not any(module.startswith("pytest_reviewbench") for module in without)
    added = set(recorded(project, *arguments)["modules"]) - without
    assert "pytest_reviewbench.plugin" in added
    assert added <= ALLOWED, sorted(added - ALLOWED)


@pytest.mark.parametrize("tests", [1, 200])
def test_a_dormant_session_reads_the_index_once_and_looks_into_no_case(
    project: pytest.Pytester, tests: int
) -> None:
    write_large_corpus(project.path / "corpus")
    project.makepyfile(**{f"test_{n}": "def test_it():\n    pass\n" for n in range(tests)})
    touched = recorded(project)["touched"]
    assert str(project.path / "test_0.py") in touched  # so the recorder sees what pytest opens
    corpus = project.path / "corpus"
    inside = [Path(project.path, path) for path in touched]
    assert [path for path in inside if path.is_relative_to(corpus)] == [corpus / "manifest.json", corpus]


def test_help_lists_every_option_with_its_default(project: pytest.Pytester) -> None:
    result = project.runpytest_subprocess("--help")
    said = " ".join(result.stdout.str().split())
    for option in OPTIONS:
        (start,) = [said.index(form) for form in (f"{option.flagged}=", f"{option.flagged} ") if form in said][:1]
        described = said[start:].partition(" --reviewbench-")[0]
        assert " ".join(option.help.replace("%%", "%").split()) in described  # argparse wants them doubled
        if not option.flag and not option.many:  # a flag is off and a list is empty unless given
            assert f"(default: {option.default or ''}" in described
        assert not option.configurable or f"{option.dest} (" in said
