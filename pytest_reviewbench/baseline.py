"""The run that a session is compared with: usable before anything is spent, or not there at all."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from pytest_reviewbench.errors import RunError
from pytest_reviewbench.runs.folder import RunFolder

OPTION = "--reviewbench-baseline"


def check_baseline(path: Path | None, identity: str, scopes: Collection[str | None]) -> None:
    """Raises `RunError` for a run that the runs of this session could not be compared with.

    One that is not there is no mistake: the first run of a project has none. `identity` is this session's corpus
    (empty: it runs nothing).
    """
    if path is None or not identity or not path.exists():
        return
    run = RunFolder(path)
    manifest = run.manifest()
    if not run.complete:
        raise RunError(f"{OPTION}: {path}: not complete (no COMPLETE file)")
    if manifest.corpus_sha256 != identity:
        raise RunError(f"{OPTION}: {path} is of another corpus ({manifest.corpus_sha256[:12]})")
    for scope in scopes:
        if manifest.scope != scope:
            raise RunError(f"{OPTION}: {path} has scope {manifest.scope}, an arm of this session {scope}")
