"""Corpora that want to run something, and the proof that they did not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.samples import HIT, say, write_case, write_project

CODE_ANYWHERE = (
    "conftest.py",
    "__init__.py",
    "test_evil.py",
    "evil_test.py",
    "test-abc/conftest.py",
    "test-abc/__init__.py",
    "test-abc/test_evil.py",
    "test-abc/notes/test_evil.py",
    "test-abc/context/conftest.py",
    "test-abc/context/pkg/tests/conftest.py",
    "elsewhere/conftest.py",
    "elsewhere/deep/er/test_evil.py",
)
"""Paths below a corpus at which pytest would import code."""

CONFIGURATION = ("pytest.ini", ".pytest.ini", "pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg")
"""Files from which pytest would take options, and this plugin the programs of its arms."""


class Trap:
    """A project with a harmless test of its own beside a corpus; hostile code leaves a file behind."""

    def __init__(self, pytester: pytest.Pytester, corpus: Path | None = None) -> None:
        self.project = pytester.path
        self._pytester = pytester
        self.corpus = corpus or pytester.path / "corpus"
        self._sprung = pytester.path.parent / f"{pytester.path.name}-sprung"
        self._sprung.mkdir()
        write_case(self.corpus, "test-abc")
        write_project(self.project, {"echo": say([HIT])})
        own = self.project / "tests" / "test_own.py"
        own.parent.mkdir()
        own.write_text("def test_own(): pass\n")

    def code(self, name: str) -> str:
        """Python that betrays itself when it is imported, and is collected as a test."""
        place = str(self._sprung / name.replace("/", "."))
        return f"open({place!r}, 'a').close()\ndef test_evil(): open({place!r}, 'a').close()\n"

    def set(self, *names: str) -> None:
        """Lay hostile code at `names` below the corpus."""
        for name in names:
            place = self.corpus / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(self.code(name))

    def run(self, *way: str) -> pytest.RunResult:
        """A session in the working folder; in a process of its own where it starts others."""
        run = self._pytester.runpytest_subprocess if "-n" in way else self._pytester.runpytest_inprocess
        return run(*way)

    @property
    def sprung(self) -> list[str]:
        """What ran."""
        return sorted(path.name for path in self._sprung.iterdir())


def assert_refused(result: pytest.RunResult, *said: str) -> None:
    """Exit status 4 and one line on stderr that holds all of `said`; no traceback anywhere."""
    lines = [line for line in result.errlines if line.strip()]
    assert result.ret == 4, (result.outlines[-20:], lines)
    assert len(lines) == 1, lines
    assert lines[0].startswith("ERROR: ")
    missing = [word for word in said if word not in lines[0]]
    assert not missing, (missing, lines[0])
    assert not any("Traceback" in line or "INTERNALERROR" in line for line in result.outlines)
