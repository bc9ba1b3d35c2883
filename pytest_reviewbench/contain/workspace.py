"""The folder a reviewer sees: a random neutral name, the change, the tree, and nothing that tells more."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_reviewbench.contain import sections
from pytest_reviewbench.contain.aside import capped, decide
from pytest_reviewbench.contain.session_folder import remove


@dataclass(frozen=True, slots=True)
class Workspace:
    """`patch` is the change; `tree` the files as the change leaves them (None: not known); the rest is private.

    `output` does not exist yet: a program may write its answer there. `home` is an empty HOME. `set_aside` names
    what is not in the tree because it would steer a reviewer: `path`, `folder/`, `path#part`. `withheld` are the
    changed paths among the files that are not there at all.
    """

    root: Path
    patch: Path
    tree: Path | None
    home: Path
    output: Path
    set_aside: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()


@contextlib.contextmanager
def open_workspace(
    patch: bytes, files: Mapping[str, Path] | None, changed: Collection[str] = (), within: Path | None = None
) -> Iterator[Workspace]:
    """A workspace with `patch` and copies of `files` (path in the tree -> file to copy); removed at the end.

    `within` is the folder to make it in (None: the one for temporary files).
    What would steer a reviewer is not copied; of the files that `changed` names only source code is spared.
    """
    root = Path(tempfile.mkdtemp(prefix="ws", dir=within)).resolve()
    try:
        (root / "change.patch").write_bytes(patch)
        (root / "home").mkdir()
        tree = None
        listed: tuple[str, ...] = ()
        withheld: tuple[str, ...] = ()
        if files is not None:
            tree = root / "tree"
            tree.mkdir()
            listed, withheld = _fill(tree, files, changed)
        output = root / "home" / "answer.json"
        yield Workspace(root, root / "change.patch", tree, root / "home", output, listed, withheld)
    finally:
        remove(root)


def _fill(
    tree: Path, files: Mapping[str, Path], changed: Collection[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Copy into `tree` what a reviewer may see; (what was set aside, the changed files among it)."""
    decision = decide(files, changed)
    listed, withheld = list(decision.listed), list(decision.withheld)
    for path in decision.kept:
        origin, place = files[path], tree / path
        data, parts = sections.NOTHING_CUT
        if sections.is_partly_configuration(path):
            cut = sections.without_tools(path, origin.read_bytes())
            if cut is None:
                listed.append(path)
                withheld += [path] if path in changed else []
                continue
            data, parts = cut
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(origin, place, follow_symlinks=False)
        if parts:
            place.unlink()  # it may be read-only
            place.write_bytes(data)
            listed += [f"{path}#{part}" for part in parts]
    return capped(listed), tuple(sorted(withheld))
