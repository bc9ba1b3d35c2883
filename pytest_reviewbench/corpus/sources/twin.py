"""The same change without its bug: the code of the fixed version, in the words of the buggy one.

What a fix says about itself would tell a twin from the change it is a twin of. So the changed files get the
comments, docstrings and version constants of the buggy version (`hide_answer`, the very rule by which a reversed
fix is shown), and everything in the tree that is no code (documents, metadata, settings, data) is that of the buggy
version. Other code is that of the fixed version, so that what the changed files import is there.
"""

from __future__ import annotations

import ast
import hashlib
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pytest_reviewbench.corpus.sources.cache import Cache, sha256_of
from pytest_reviewbench.corpus.sources.comments import language_of
from pytest_reviewbench.corpus.sources.diff import unified
from pytest_reviewbench.corpus.sources.leaks import hide_answer
from pytest_reviewbench.model import Record, Sha256

Versions = Mapping[str, bytes | None]
"""The named files of one version; None: the file is not there."""

SETTINGS = frozenset({".toml", ".yaml", ".yml", ".cfg", ".ini"})
SHEBANG_BYTES = 200


class TwinRecord(Record, frozen=True, kw_only=True):
    """What the cache holds of a twin: hashes of its patch and of the changed files as its change leaves them."""

    patch_sha256: Sha256
    head: Mapping[str, Sha256 | None]


@dataclass(frozen=True, slots=True)
class Twin:
    """A materialised twin. `tree` is the fixed version, for reading only; `named` are the changed files to be shown
    in their place, by path (None: the change leaves none there)."""

    patch: Path
    tree: Path
    named: Mapping[str, Path | None]


def build_twin(cache: Cache, key: str, base: Versions, head: Versions, fixed: Versions) -> TwinRecord | str:
    """Keep the twin whose change goes from `base` to `head`, or say why there is none.

    `fixed` is the version that `head` was made from. Needs the cache's lock.
    """
    patch = unified((file, base[file], head[file]) for file in head)
    if all(_same_code(file, base[file], head[file]) for file in head):
        return "without its bug the change shows nothing"
    for file, data in head.items():
        if data is not None and file.endswith((".py", ".pyi")) and _parses(fixed[file]) and not _parses(data):
            return f"{file} of the fixed version is no code without its docstrings"
    cache.keep_change(key, ".twin.patch", patch)
    for n, data in enumerate(head.values()):
        if data is not None:
            cache.keep_change(key, f".twin.{n}", data)
    return TwinRecord(
        patch_sha256=hashlib.sha256(patch).hexdigest(),
        head={file: None if data is None else hashlib.sha256(data).hexdigest() for file, data in head.items()},
    )


def read_twin(cache: Cache, key: str, record: TwinRecord, tree: Path, files: Iterable[str]) -> Twin | None:
    """The kept twin of a change of `files`; None when it is not what it was any more. Raises `OSError`."""
    patch = cache.change(key, ".twin.patch")
    named: dict[str, Path | None] = {}
    for n, file in enumerate(files):
        sha256 = record.head[file]
        place = cache.change(key, f".twin.{n}")
        if sha256 is not None and sha256_of(place) != sha256:
            return None
        named[file] = None if sha256 is None else place
    return Twin(patch, tree, named) if sha256_of(patch) == record.patch_sha256 else None


def twin_tree(twin: Twin, own: Mapping[str, Path], fixed: Mapping[str, Path]) -> dict[str, Path]:
    """The tree that the twin's change leaves, from the trees of the buggy (`own`) and of the fixed version."""
    tree = {path: file for path, file in own.items() if not _is_code(path, file)}
    tree |= {path: file for path, file in fixed.items() if _is_code(path, file)}
    for path, named in twin.named.items():
        tree.pop(path, None)
        if named is not None:
            tree[path] = named
    return tree


def _same_code(file: str, base: bytes | None, head: bytes | None) -> bool:
    if base is None or head is None:
        return base is head
    return hide_answer(base, head, file) == head


def _is_code(path: str, file: Path) -> bool:
    suffix = PurePosixPath(path).suffix.lower()
    if suffix:
        return suffix not in SETTINGS and language_of(b"", path) != "none"
    with file.open("rb") as stream:
        return language_of(stream.read(SHEBANG_BYTES), path) != "none"


def _parses(data: bytes | None) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(data or b"")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
