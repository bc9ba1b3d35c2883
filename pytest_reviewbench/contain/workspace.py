"""The folder a reviewer sees: a random neutral name, the change, the tree, and nothing that tells more."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Workspace:
    """`patch` is the change; `tree` the files as the change leaves them (None: not known); the rest is private.

    `output` does not exist yet: a program may write its answer there. `home` is an empty HOME.
    """

    root: Path
    patch: Path
    tree: Path | None
    home: Path
    output: Path


@contextlib.contextmanager
def open_workspace(patch: bytes, files: Mapping[str, Path] | None) -> Iterator[Workspace]:
    """A workspace with `patch` and copies of `files` (path in the tree -> file to copy); removed at the end."""
    root = Path(tempfile.mkdtemp(prefix="ws")).resolve()
    try:
        (root / "change.patch").write_bytes(patch)
        (root / "home").mkdir()
        tree = None
        if files is not None:
            tree = root / "tree"
            tree.mkdir()
            for path, origin in files.items():
                place = tree / path
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(origin, place, follow_symlinks=False)
        yield Workspace(root, root / "change.patch", tree, root / "home", root / "home" / "answer.json")
    finally:
        shutil.rmtree(root, ignore_errors=True)
