"""Run folders made by hand."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from pytest_reviewbench.model import BugFact, Matches, Review, RunManifest, Status
from pytest_reviewbench.runs.folder import RunFolder, create_run

START = datetime(2026, 1, 2, 3, 4, 5, 250_000, tzinfo=UTC)

MANIFEST = RunManifest(
    arm="arm",
    rep=1,
    family="command",
    settings={},
    versions={},
    environment={},
    corpus_sha256="0" * 64,
    matcher_versions={"a1": 1, "a2": 1},
    split="test",
    cases=("a1", "a2"),
    scope="file",
    jobs=2,
    timeout=60,
    started="",
)


def make_run(runs: Path, **changes: Any) -> RunFolder:
    """A run without reviews; `changes` are fields of its manifest."""

    def manifest(started: str) -> RunManifest:
        return msgspec.structs.replace(MANIFEST, started=started, **changes)

    arm, rep = changes.get("arm", "arm"), changes.get("rep", 1)
    return create_run(runs, arm, rep, manifest, now=lambda: START, wait=_never)


def review(case: str = "a1", status: Status = "ok", **fields: Any) -> Review:
    return Review(case=case, arm="arm", rep=1, status=status, **fields)


def matches(case: str = "a1") -> Matches:
    return Matches(case=case, lang="python", matcher_version=1, bugs=(BugFact(id="b1"),), hits={}, evidence={})


def _never(_seconds: float) -> None:
    raise AssertionError("the name of the run is taken")
