"""The tree of a commit as one archive: the blobs as they are stored, and always the same bytes.

Not `git archive`: that obeys the attributes in the tree (export-ignore, export-subst, line ends, filters).
"""

from __future__ import annotations

import io
import tarfile
from dataclasses import dataclass
from pathlib import Path

from pytest_reviewbench.corpus.sources.archives import Bounds
from pytest_reviewbench.corpus.sources.git_calls import Git
from pytest_reviewbench.errors import SourceError

LINK, SUBMODULE = b"120000", b"160000"


@dataclass(frozen=True, slots=True)
class Blob:
    """A file of a tree; `path` as the tree spells it, bytes that are not UTF-8 as lone surrogates."""

    path: str
    sha: str
    size: int
    executable: bool


def blobs(git: Git, commit: str, bounds: Bounds | None = None) -> list[Blob]:
    """The files of `commit`, sorted by path; symbolic links and submodules are left out.

    Raises `SourceError` for a tree beyond `bounds`.
    """
    bounds = bounds or Bounds()
    found = []
    for line in git.read("ls-tree", "-r", "-z", "-l", "--full-tree", commit).split(b"\0")[:-1]:
        about, _, path = line.partition(b"\t")
        mode, _, sha, size = about.split()
        if mode not in (LINK, SUBMODULE):
            name = path.decode("utf-8", "surrogateescape")
            found.append(Blob(name, sha.decode(), int(size), mode == b"100755"))
    for blob in found:
        if blob.size > bounds.single:
            raise SourceError(f"commit {commit}: {blob.path[:200]!a} is larger than {bounds.single:,} bytes")
    if len(found) > bounds.members:
        raise SourceError(f"commit {commit}: holds more than {bounds.members:,} files")
    if sum(blob.size for blob in found) > bounds.total:
        raise SourceError(f"commit {commit}: its files take more than {bounds.total:,} bytes")
    return sorted(found, key=lambda blob: blob.path.encode("utf-8", "surrogateescape"))


def contents(git: Git, files: list[Blob]) -> list[bytes]:
    """The bytes of `files`, in their order, exactly as they are stored."""
    asked = "".join(f"{blob.sha}\n" for blob in files).encode()
    room = sum(blob.size + 200 for blob in files)
    stored = memoryview(git.read("cat-file", "--batch", stdin=asked, limit=room)) if files else memoryview(b"")
    found, at = [], 0
    for blob in files:
        head = f"{blob.sha} blob {blob.size}\n".encode()
        if stored[at : at + len(head)] != head:
            raise SourceError(f"git cat-file: the blob {blob.sha} is not there")
        at += len(head)
        found.append(bytes(stored[at : at + blob.size]))
        at += blob.size + 1
    return found


def export(git: Git, commit: str, file: Path, bounds: Bounds | None = None) -> None:
    """Write the tree of `commit` as the archive `file`. Raises `SourceError`.

    Its bytes follow from the tree alone (pins hold their sha256): plain tar in the GNU form, files only, by path,
    with the modes 644 and 755, no owner and no time.
    """
    listed = blobs(git, commit, bounds)
    with tarfile.open(file, "x", format=tarfile.GNU_FORMAT, encoding="utf-8", errors="surrogateescape") as archive:
        for blob, data in zip(listed, contents(git, listed), strict=True):
            info = tarfile.TarInfo(blob.path)
            info.size, info.mode = len(data), 0o755 if blob.executable else 0o644
            archive.addfile(info, io.BytesIO(data))
