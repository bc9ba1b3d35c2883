"""docs/free-models.md: what it tells its readers to write and run is taken from the page and tried."""

from __future__ import annotations

import ipaddress
import re
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pytest_reviewbench.arm_spec import read_arm_spec
from pytest_reviewbench.arms.families import build_arms, collect_families
from pytest_reviewbench.arms.protocol import Host
from pytest_reviewbench.arms.session_arm import SessionArm
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.settings_reader import arm_table
from tests.samples import write_case

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "free-models.md").read_text(encoding="utf-8")


def block(mark: str) -> str:
    found = re.search(rf"<!-- {mark} -->\n```\w+\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None, mark
    return found[1]


def test_the_template_binds_to_this_machine_and_its_key_is_made_by_the_reader(tmp_path: Path) -> None:
    (tmp_path / "docs").symlink_to(DOCS)
    subprocess.run(["sh", "-ec", block("key")], cwd=tmp_path, check=True)
    key = tmp_path / "free-models.key"
    assert len(key.read_text().strip()) >= 40
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    server = tmp_path / "llama-server"
    server.write_text("#!/bin/sh\nenv\n")
    server.chmod(0o755)
    done = subprocess.run(
        ["sh", "-ec", block("server")], cwd=tmp_path, check=True, capture_output=True, text=True,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
    )  # fmt: skip
    given = dict(line.split("=", 1) for line in done.stdout.splitlines())
    assert ipaddress.ip_address(given["LLAMA_ARG_HOST"]).is_loopback
    assert (tmp_path / given["LLAMA_ARG_API_KEY_FILE"]) == key
    assert "LLAMA_API_KEY" not in given  # a key in the file would be everybody's
    told = block("arm") + block("claude")
    urls = {urlsplit(url) for url in re.findall(r"http://[\w.]+:\d+", told)}
    assert {(url.hostname, str(url.port)) for url in urls} == {(given["LLAMA_ARG_HOST"], given["LLAMA_ARG_PORT"])}
    for mark in ("arm", "claude arm"):
        assert f'model = "{given["LLAMA_ARG_ALIAS"]}"' in block(mark)


def test_its_arm_is_ready_to_ask_the_server_with_the_readers_key(tmp_path: Path) -> None:
    table = tomllib.loads(block("arm"))["tool"]["reviewbench"]
    spec = read_arm_spec("local", arm_table(tmp_path / "pyproject.toml", table, "local"))
    name = re.findall(r'^(\w+)="\$\(cat free-models.key\)" pytest', block("call"))
    assert name == [spec.auth_env]
    host = Host(Children(), 60, environ={name[0]: "k" * 40})
    (built,) = build_arms([spec], collect_families([]), host)
    assert isinstance(built.arm, SessionArm)
    assert built.disclosure.base_url == spec.base_url


@pytest.mark.parametrize("mark", ["call", "claude"])
def test_its_command_lines_are_understood(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    write_case(pytester.path / "corpus", "py-1")
    claude = pytester.path / "claude"
    claude.write_text("#!/bin/sh\necho 2.1.332\n")
    claude.chmod(0o755)
    (pytester.path / "pyproject.toml").write_text(block("arm") + block("claude arm"))
    (pytester.path / "free-models.key").write_text("k" * 40)
    monkeypatch.setenv("PATH", str(pytester.path), prepend=":")
    line = block(mark).replace("pytest ", f"{sys.executable} -m pytest --collect-only -q -p no:cacheprovider ")
    result = pytester.run("sh", "-ec", line)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["corpus/manifest.json::py-1::local*"])
