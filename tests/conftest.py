"""What every test gets: no user's cache, no user's options, an ear for Ctrl-C."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.shared import base_of_all


def pytest_configure() -> None:
    """A shell starts what runs in its background deaf to Ctrl-C, and what that starts is deaf as well."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _compiled_once(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Python may write no bytecode, hundreds of processes would compile the same files again.

    They share a folder that goes away with the temporary ones, so nothing is written where it may not be.
    """
    if os.environ.get("PYTHONDONTWRITEBYTECODE"):
        monkeypatch.delenv("PYTHONDONTWRITEBYTECODE")
        monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(base_of_all(tmp_path_factory) / "bytecode"))


@pytest.fixture(autouse=True)
def _own_cache(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Tests of real parts may use the machine's cache; all others get an empty one of their own."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)  # sessions of tests would write there
    if Path(__file__).parent / "real" not in request.path.parents:
        monkeypatch.setenv("REVIEWBENCH_CACHE", str(tmp_path_factory.mktemp("cache")))
