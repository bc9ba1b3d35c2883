"""`reviewbench corpus gc`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pytest_reviewbench.cli.tools import user_cache
from pytest_reviewbench.curate.garbage import cases_of, garbage, remove, size_of

WAIT = 600.0
"""Seconds for another session that uses the cache."""


def gc(
    corpora: Annotated[
        list[Path] | None, typer.Option("--corpus", help="a corpus whose code stays; repeatable [default: corpus]")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="remove nothing, only say what would go")] = False,
) -> None:
    """Remove from the cache what no case of the named corpora needs: artefacts, trees, changes, packages of proofs.

    Name every corpus that you use: what others need is removed as well, and fetched again when they need it. Not
    while a session runs on a corpus that is not named.
    """
    cache = user_cache()
    kept = cases_of(corpora or [Path("corpus")])
    with cache.locked(wait=WAIT):
        found = garbage(cache, kept)
        size = sum(map(size_of, found))
        if not dry_run:
            remove(cache, found)
    counted = {
        kind: sum(path.parent.name == kind for path in found) for kind in ("artefacts", "trees", "changes", "needs")
    }
    named = ", ".join(f"{number} {kind}" for kind, number in counted.items() if number)
    done = "would be removed" if dry_run else "removed"
    print(f"{done}: {named or 'nothing'} ({size / 1e6:.1f} MB) of {cache.root}; {len(kept)} cases keep theirs")
