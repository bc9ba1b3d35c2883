"""A corpus of any size, every case of its own, and a project that reviews it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tests.samples import BUG, CODE, PATCH, write_project


def write_corpus(folder: Path, cases: int) -> None:
    """`cases` test cases in `folder`/corpus: a patch, its context, one bug each."""
    corpus = folder / "corpus"
    ids = [f"py-{n:05}" for n in range(cases)]
    truth = json.dumps({"matcher_version": 1, "bugs": [BUG]})
    for n, case in enumerate(ids):
        home = corpus / case
        (home / "context" / "pkg").mkdir(parents=True)
        (home / "context" / "pkg" / "a.py").write_text(f"{CODE}# {n}\n")
        (home / "change.patch").write_text(PATCH)
        (home / "ground-truth.json").write_text(truth.replace("off[- ]by", f"case {n}|off[- ]by"))
        (home / "meta.json").write_text(json.dumps({"lang": "python", "licence": "MIT"}))
    (corpus / "manifest.json").write_text(json.dumps([{"id": case, "split": "test"} for case in ids]))


def write_arms(folder: Path, names: Sequence[str], argv: Sequence[str]) -> None:
    """A project in `folder` whose arms `names` all run `argv`."""
    write_project(folder, {name: {"family": "command", "argv": list(argv)} for name in names})
