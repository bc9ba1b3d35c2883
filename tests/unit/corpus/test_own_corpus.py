"""What the committed corpus of this repository gives away, and what it does not."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.corpus.layout import SEALED
from pytest_reviewbench.model import Case

ROOT = Path(__file__).parents[3]
SHORTEST = 30
"""Characters of a text that says something by itself."""


def telling(case: Case) -> Iterator[str]:
    """What tells the mechanism of a case, or where its fix is."""
    for bug in case.truth.bugs:
        yield from filter(None, (bug.bug, bug.example, bug.match))
    yield from filter(None, (case.meta.symptom, case.meta.reference, case.meta.why_clean, *case.meta.also_true))
    if case.meta.source is not None:
        yield case.meta.source.fixed.sha256
        yield from [case.meta.source.before.sha256] if case.meta.source.before is not None else []


def committed(*arguments: str, text: str | None = None) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, input=text, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.splitlines()


@pytest.mark.skipif(
    shutil.which("git") is None or not (ROOT / ".git").exists(), reason="needs a checkout with its history"
)
def test_git_grep_finds_no_mechanism_of_a_test_case(tmp_path: Path) -> None:
    cases = load_corpus(ROOT / "corpus", None, {}).cases.values()
    test, train = ([case for case in cases if case.split == split] for split in ("test", "train"))
    assert len(test) > 50
    sealed = {Path(path).parent.name for path in committed("ls-tree", "-r", "--name-only", "HEAD", "corpus")
              if path.endswith(SEALED)}  # fmt: skip
    assert sealed == {case.id for case in test}
    shown = {case.meta.source.buggy.sha256 for case in cases if case.meta.source is not None}
    known = {text for case in train for text in telling(case)} | shown
    patterns = {text for case in test for text in telling(case) if len(text) >= SHORTEST} - known
    assert len(patterns) > 300
    file = tmp_path / "patterns"
    # A truth is a JSON string: its quotes and backslashes stand escaped in a file.
    escaped = {text.replace("\\", "\\\\").replace('"', '\\"') for text in patterns}
    file.write_text("\n".join(sorted(patterns | escaped)))
    assert committed("grep", "-l", "-F", "-f", str(file), "HEAD") == []
    file.write_text(train[0].truth.bugs[0].bug or "")
    assert committed("grep", "-l", "-F", "-f", str(file), "HEAD") == [
        f"HEAD:corpus/{train[0].id}/ground-truth.json"
    ]
