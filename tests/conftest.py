"""What every test gets: no user's cache, no user's options."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_cache(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Tests of real parts may use the machine's cache; all others get an empty one of their own."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    if Path(__file__).parent / "real" not in request.path.parents:
        monkeypatch.setenv("REVIEWBENCH_CACHE", str(tmp_path_factory.mktemp("cache")))
