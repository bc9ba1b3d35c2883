"""What a case shows: the patch and the tree behind it, from committed files or from pinned code."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pytest_reviewbench.contain.files import files_below, read_bounded
from pytest_reviewbench.corpus.layout import CONTEXT, META, PATCH, TRUTH
from pytest_reviewbench.corpus.patch import LIMIT, Patch, parse_patch
from pytest_reviewbench.corpus.sources.materials import Material
from pytest_reviewbench.corpus.sources.twin import twin_tree
from pytest_reviewbench.errors import CorpusError, NoChange, NoTwin, one_line
from pytest_reviewbench.model import Bug, Case

MOST_FILES = 5_000

Places = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """The change of one case.

    `tree` maps paths to files to copy (None: only the patch is known). `bugs` are the case's, with the file
    filled in where the patch has only one. `fix_places` are the lines of the shown tree that the fix changes,
    per file (None: the fix is not known).
    """

    patch_bytes: bytes
    patch: Patch
    tree: Mapping[str, Path] | None
    bugs: tuple[Bug, ...]
    fix_places: Mapping[str, Places] | None


def show(case: Case, material: Material | None) -> Shown:
    """Read and check what `case` shows; `material` is its pinned code (None for a case with committed files).

    Raises `CorpusError` when the patch cannot be parsed or does not hold a bug's file, `NoTwin` for a twin that
    turns out not to be there, and `NoChange` for a case that has none to show.
    """
    if case.meta.no_change is not None:
        raise NoChange(f"no change to show: {one_line(case.meta.no_change)}")
    if case.is_twin:
        return _show_twin(case.original, material)
    home = Path(case.folder)
    if material is not None:
        where = f"{home / META}: $.source: the patch built from it"
        raw = read_bounded(material.patch, LIMIT)
        tree: dict[str, Path] | None = _files_below(material.tree)
        places = material.fix_places
    else:
        where = str(home / PATCH)
        raw = read_bounded(home / PATCH, LIMIT)
        tree, places = None, None
    patch = parse_patch(raw, where)
    if material is None and (home / CONTEXT).is_dir():
        tree = _unflattened(_files_below(home / CONTEXT), patch, home)
    return Shown(
        patch_bytes=raw,
        patch=patch,
        tree=tree,
        bugs=tuple(_placed(bug, n, patch, home) for n, bug in enumerate(case.truth.bugs)),
        fix_places=places,
    )


def _show_twin(case: Case, material: Material | None) -> Shown:
    """The change of `case` without its bugs. Its files are those of the case, touched or not."""
    if material is None or material.twin is None:
        raise NoTwin(f"no twin: {material.no_twin if material and material.no_twin else 'nothing pins its fix'}")
    own = show(case, material)
    raw = read_bounded(material.twin.patch, LIMIT)
    return Shown(
        patch_bytes=raw,
        patch=parse_patch(raw, f"{Path(case.folder) / META}: $.source: the twin's patch built from it"),
        tree=twin_tree(material.twin, own.tree or {}, _files_below(material.twin.tree)),
        bugs=own.bugs,
        fix_places=None,
    )


def _placed(bug: Bug, n: int, patch: Patch, home: Path) -> Bug:
    if bug.file is None:
        return msgspec.structs.replace(bug, file=min(patch.files)) if len(patch.files) == 1 else bug
    if bug.file in patch.files:
        return bug
    # The original format names files by basename.
    named = [path for path in patch.files if "/" not in bug.file and posixpath.basename(path) == bug.file]
    if len(named) != 1:
        raise CorpusError(f"{home / TRUTH}: $.bugs[{n}].file: the change does not touch {bug.file!r}")
    return msgspec.structs.replace(bug, file=named[0])


def _unflattened(files: dict[str, Path], patch: Patch, home: Path) -> dict[str, Path]:
    """Context files under their full paths; the original format stores them flat, by basename."""
    tree = {}
    for path, file in files.items():
        full = path
        if path not in patch.files and "/" not in path:
            named = [known for known in patch.files if posixpath.basename(known) == path]
            if len(named) > 1:
                raise CorpusError(
                    f"{home / CONTEXT / path}: stands for {' and '.join(sorted(named))}; use full paths"
                )
            full = named[0] if named else path
        if full in tree:
            raise CorpusError(f"{home / CONTEXT}: {full} is there twice, flat and with its full path")
        tree[full] = file
    return tree


def _files_below(folder: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in files_below(folder):
        if ".git" in path.lower().split("/"):  # a program that asks git about the tree would obey its settings
            raise CorpusError(f"{folder / path}: a tree must not hold a git repository; remove it")
        found[path] = folder / path
        if len(found) > MOST_FILES:
            raise CorpusError(f"{folder}: more than {MOST_FILES} files; make the tree smaller")
    return found
