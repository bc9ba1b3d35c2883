"""Sessions inside tests start without plugins that cost a second and have no say in what is tested."""

from __future__ import annotations

import pytest

# A session in this process forgets at its end what it imported: imported before, it is there for all of them.
import pytest_reviewbench.bench  # noqa: F401


@pytest.fixture(autouse=True)
def _lean_sessions(
    pytester: pytest.Pytester, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither pytest-randomly nor hypothesis nor anyio, 1.7 s in every process; one test asks for the first.

    `pytester` clears the variable, so it must have been set up before. Sessions that are killed leave
    workspaces: in a folder of their own.
    """
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:randomly -p no:hypothesispytest -p no:anyio")
    monkeypatch.setenv("TMPDIR", str(tmp_path_factory.mktemp("temp")))
    monkeypatch.setattr("pytest_reviewbench.sessions.backoff.FIRST", 0.01)  # of sessions in this process
