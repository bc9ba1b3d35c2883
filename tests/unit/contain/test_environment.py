"""What a child gets of this process's environment: what it needs by name, and nothing else."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pytest_reviewbench.contain.environment import registry_environment, reviewer_environment, search_path
from pytest_reviewbench.contain.programs import find_program

FULL = {
    "PATH": "/some/bin",
    "HOME": "/home/me",
    "LANG": "C.UTF-8",
    "TMPDIR": "/tmp",
    "PYTEST_CURRENT_TEST": "corpus::py-1",
    "PYTEST_XDIST_WORKER": "gw0",
    "PYTHONPATH": "/evil",
    "PYTHONSTARTUP": "/evil",
    "LD_PRELOAD": "/evil.so",
    "SECRET_TOKEN": "s3cret",
    "ANTHROPIC_API_KEY": "s3cret",
    "GITHUB_TOKEN": "s3cret",
    "HTTPS_PROXY": "http://proxy",
    "SSL_CERT_FILE": "/certs",
    "PIP_INDEX_URL": "https://index",
    "npm_config_registry": "https://registry",
    "REVIEWBENCH_CACHE": "/cache",
}
OWN = str(Path(sys.executable).parent)


def test_a_reviewer_gets_a_path_a_locale_and_a_home_of_its_own() -> None:
    assert reviewer_environment(Path("/ws/home"), FULL) == {
        "PATH": f"{OWN}{os.pathsep}/some/bin",
        "HOME": "/ws/home",
        "LANG": "C.UTF-8",
        "TMPDIR": "/tmp",
    }


def test_a_registry_client_gets_what_its_user_set_and_no_secret_of_others() -> None:
    env = registry_environment(FULL)
    assert set(env) == {
        "PATH", "HOME", "LANG", "TMPDIR", "HTTPS_PROXY", "SSL_CERT_FILE", "PIP_INDEX_URL", "npm_config_registry",
    }  # fmt: skip
    assert env["HOME"] == "/home/me"


def test_an_empty_environment_still_gives_a_path() -> None:
    assert search_path({}) == f"{OWN}{os.pathsep}{os.defpath}"
    assert registry_environment({}) == {"PATH": search_path({})}
    assert reviewer_environment(Path("/h"), {}) == {"PATH": search_path({}), "HOME": "/h"}


def test_a_program_beside_this_python_is_found_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, mode in {
        "own/some-tool": 0o755,
        "other/some-tool": 0o755,
        "own/plain": 0o644,
        "other/plain": 0o755,
    }.items():
        program = tmp_path / name
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(mode)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "own" / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "other"))
    assert find_program("some-tool") == str(tmp_path / "own" / "some-tool")
    assert find_program("plain") == str(tmp_path / "other" / "plain")
    assert find_program("no-such-tool") is None
