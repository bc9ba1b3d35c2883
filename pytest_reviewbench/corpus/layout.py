"""What a corpus folder looks like from outside, before anything of it is trusted.

On the idle path of every pytest session: standard library only, and next to no work.
"""

from __future__ import annotations

import fnmatch
import functools
import json
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pytest_reviewbench.errors import CorpusError

INDEX = "manifest.json"
INDEX_LIMIT = 32 << 20
CONTEXT = "context"
TRUTH = "ground-truth.json"
PATCH = "change.patch"
META = "meta.json"
PROOFS = ("proof.py", "proof.js", "proof.sh")
SEALED = "sealed.age"
"""What stands for the truth of a case, and for all else that gives it away, while it is encrypted."""
RECIPIENT = "seal.pub"
"""The public key that a corpus is sealed for."""


def is_corpus(folder: Path) -> bool:
    """Does `folder` hold a corpus: an index of objects with `id` and `split`, and a case beside it?"""
    try:
        found = (folder / INDEX).stat()
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(found.st_mode) and _is_index(str(folder / INDEX), found.st_mtime_ns, found.st_size)


@functools.lru_cache(maxsize=64)  # pytest asks for every path beside an index
def _is_index(index: str, _mtime_ns: int, size: int) -> bool:
    if size > INDEX_LIMIT:
        return False
    try:
        with open(index, "rb") as file:
            start = file.read(4096)
            if not start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
                return False
            entries = json.loads(start + file.read())
    except (OSError, ValueError, RecursionError):
        return False
    if not isinstance(entries, list) or not any(
        isinstance(entry, dict) and {"id", "split"} <= entry.keys() for entry in entries
    ):
        return False
    # Other lists have ids and splits too (a data set's); only a corpus has cases beside it, whatever their ids.
    with os.scandir(Path(index).parent) as found:
        return any(
            os.path.lexists(f"{entry.path}/{name}") for entry in found if entry.is_dir() for name in (TRUTH, SEALED)
        )


def enclosing_corpus(path: Path) -> Path | None:
    """The corpus folder that `path` is or lies in, nearest first."""
    return next((folder for folder in (path, *path.parents) if is_corpus(folder)), None)


def refuse_code(corpus: Path, test_patterns: Sequence[str]) -> None:
    """Raise `CorpusError` when pytest could ever run something of this corpus.

    `conftest.py` is refused everywhere; `__init__.py` and modules that match `test_patterns` (the ini value
    python_files) everywhere but below `<case>/context/`, where they are data: nothing inside a corpus can be
    collected, so they are never imported.
    """
    for path in _files(corpus):
        inside = path.relative_to(corpus).parts
        data = len(inside) > 2 and inside[1] == CONTEXT
        name = inside[-1]
        runs = name == "conftest.py" or (
            not data
            and name.endswith(".py")
            and (name == "__init__.py" or any(fnmatch.fnmatch(name, pattern) for pattern in test_patterns))
        )
        if runs:
            raise CorpusError(
                f"{path}: a corpus must not hold code that pytest would run; remove it "
                "(a case's own program is called proof.py, reviewed files lie in context/)"
            )


def refuse_configuration(corpus: Path, files: Iterable[Path]) -> None:
    """Raise `CorpusError` when one of `files`, from which options or arms would be read, lies in this corpus."""
    for file in files:
        if file.is_relative_to(corpus) and os.path.lexists(file):
            raise CorpusError(
                f"{file}: a corpus must not configure the session; start pytest in another folder, "
                f"with --reviewbench-corpus={corpus}"
            )


def refuse_paths_inside(paths: Iterable[Path]) -> None:
    """Raise `CorpusError` for a path below a corpus other than its index: pytest would look for tests there."""
    for path in paths:
        corpus = enclosing_corpus(path)
        if corpus is not None and path not in (corpus, corpus / INDEX):
            raise CorpusError(
                f"{path}: lies inside the corpus {corpus}; name the corpus (--reviewbench-corpus={corpus}) "
                "and select with --reviewbench-case=ID"
            )


def _files(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        yield from (Path(parent, name) for name in sorted(names))
