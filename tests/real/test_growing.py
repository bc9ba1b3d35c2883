"""Cases made of what the registries hold. Needs the network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_reviewbench.contain.programs import find_program
from tests.session.calls import reviewbench

HANDED = Path(__file__).parents[2].parent / "shared" / "corpus" / "candidates.json"
needs_npm = pytest.mark.skipif(find_program("npm") is None, reason="npm is not installed (extra `tools` brings it)")


@pytest.mark.parametrize(
    ("words", "file", "sha256"),
    [
        (["--pypi", "tomlkit", "0.13.1", "0.13.2"], "tomlkit/container.py", None),
        pytest.param(
            ["--npm", "minimist", "1.2.5", "1.2.6"], "package/index.js",
            "a1800ce4d39356e96497bd09a41fad0033a13dd8eeb469008333547505ce4350", marks=needs_npm,
        ),
    ],
    ids=["pypi", "npm"],
)  # fmt: skip
def test_two_releases_become_a_skeleton_with_their_hashes(
    words: list[str], file: str, sha256: str | None, tmp_path: Path
) -> None:
    asked = reviewbench(tmp_path, "corpus", "add", *words)
    if "cannot be reached" in asked.stderr:
        pytest.skip(f"no registry here: {asked.stderr}")
    assert (asked.returncode, file in asked.stdout) == (2, True), asked
    assert "test" not in asked.stdout
    done = reviewbench(tmp_path, "corpus", "add", *words, f"--file={file}", "--id=x-1")
    assert done.returncode == 0, done.stderr
    source = json.loads((tmp_path / "corpus/x-1/meta.json").read_text())["source"]
    assert [source["buggy"]["version"], source["fixed"]["version"], source["files"]] == [*words[2:], [file]]
    assert sha256 in (None, source["buggy"]["sha256"])
    checked = reviewbench(tmp_path, "corpus", "check", "--offline")
    assert (checked.returncode, "is still open (TODO)" in checked.stdout) == (1, True)
    missing = reviewbench(tmp_path, "corpus", "add", *words[:2], "99.99.98", "99.99.99")
    assert (missing.returncode, missing.stderr.count("\n")) == (2, 1)
    assert "has no such version" in missing.stderr


@pytest.mark.skipif(not HANDED.exists(), reason="the handed candidates are not here (../shared)")
@needs_npm
def test_three_handed_candidates_become_a_sound_corpus(tmp_path: Path) -> None:
    done = reviewbench(tmp_path, "corpus", "add", str(HANDED), "py-0105", "sh-0001", "js-0151")
    if "cannot be reached" in done.stderr:
        pytest.skip(f"no registry here: {done.stderr}")
    assert done.returncode == 0, done.stderr
    checked = reviewbench(tmp_path, "corpus", "check", "--offline")
    assert (checked.returncode, checked.stdout.rstrip().endswith("sound")) == (0, True), checked.stdout
