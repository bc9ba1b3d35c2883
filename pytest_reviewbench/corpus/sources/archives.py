"""Wheels and tarballs into a folder: member by member, within bounds, nothing in them trusted or executed."""

from __future__ import annotations

import gzip
import io
import lzma
import stat
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pytest_reviewbench.errors import SourceError


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one archive may hold, at most."""

    members: int = 20_000
    total: int = 256 << 20
    single: int = 64 << 20


@dataclass(frozen=True, slots=True)
class Member:
    """One entry as its archive describes it; `content` is None for a folder."""

    name: str
    executable: bool
    content: IO[bytes] | None


class Refused(Exception):
    """`member` must not be extracted; `why` completes the sentence."""

    def __init__(self, why: str, member: str | None = None) -> None:
        super().__init__(why)
        self.member = member


def extract(artefact: Path, filename: str, into: Path, bounds: Bounds | None = None) -> None:
    """Extract `artefact`, which was published as `filename` (.whl, .zip, .tgz, .tar.gz or .tar), into a new folder.

    Only plain files and folders come out, with the exec bit of their owner and no other mode bits. Raises
    `SourceError` that names the first member that is not acceptable, and leaves `into` incomplete then.
    """
    bounds = bounds or Bounds()
    into.mkdir(parents=True)
    lower = filename.lower()
    try:
        if lower.endswith((".whl", ".zip")):
            with zipfile.ZipFile(artefact) as archive:
                _write_all(_zip_members(archive), into, bounds)
        elif lower.endswith((".tgz", ".tar.gz", ".tar")):
            with artefact.open("rb") if lower.endswith(".tar") else gzip.open(artefact) as unzipped:
                # Headers count as well: an extended header may claim any size.
                limited = _Limited(unzipped, bounds.total + bounds.members * 1024)
                with tarfile.open(fileobj=limited, mode="r|") as archive:
                    _write_all(_tar_members(archive), into, bounds)
        else:
            raise Refused("is neither a wheel nor a tarball")
    except Refused as e:
        member = "" if e.member is None else f"member {e.member[:120]!a} "
        raise SourceError(f"{filename}: {member}{e}; nothing of it is used") from None
    except (
        EOFError, LookupError, NotImplementedError, RuntimeError, ValueError, gzip.BadGzipFile,
        lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, zlib.error,
    ) as e:  # fmt: skip
        raise SourceError(f"{filename}: not a readable archive: {e}") from None
    except OSError as e:
        raise SourceError(f"{filename}: cannot be extracted: {e.strerror or e}") from None


def _zip_members(archive: zipfile.ZipFile) -> Generator[Member, None, None]:
    for info in archive.infolist():
        # `filename` ends at the first NUL; `orig_filename` is what the archive says.
        name, mode = info.orig_filename, info.external_attr >> 16
        kind = stat.S_IFMT(mode) if info.create_system == 3 else 0
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise Refused("is a link or a device", name)
        if info.flag_bits & 0x1:
            raise Refused("is encrypted", name)
        if info.is_dir() or kind == stat.S_IFDIR:
            yield Member(name, executable=True, content=None)
        else:
            with archive.open(info) as content:
                yield Member(name, executable=bool(mode & stat.S_IXUSR), content=content)


def _tar_members(archive: tarfile.TarFile) -> Generator[Member, None, None]:
    for info in archive:
        if info.isdir():
            yield Member(info.name, executable=True, content=None)
        elif info.isreg() and not info.issparse():
            content = archive.extractfile(info)
            yield Member(info.name, executable=bool(info.mode & stat.S_IXUSR), content=content)
        else:
            raise Refused("is a link, a device or a sparse file", info.name)


def _write_all(members: Generator[Member, None, None], into: Path, bounds: Bounds) -> None:
    # Closed at once: a member that is refused half read would keep the archive open.
    with closing(members):
        _write(members, into, bounds)


def _write(members: Iterator[Member], into: Path, bounds: Bounds) -> None:
    places: dict[str, tuple[str, ...]] = {}
    left = bounds.total
    files = 0
    for count, member in enumerate(members, start=1):
        if count > bounds.members:
            raise Refused(f"holds more than {bounds.members:,} members")
        parts = _parts(member.name)
        again = _claim(parts, member, places)
        target = into.joinpath(*parts)
        if member.content is None:
            target.mkdir(parents=True, exist_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        blocks = _blocks(member, bounds.single, left)
        if again:
            # Published tarballs do hold a file twice: harmless as long as both are the same file.
            left -= _compare(blocks, target, member.name)
            continue
        with target.open("xb") as file:
            left -= sum(file.write(block) for block in blocks)
        target.chmod(0o755 if member.executable else 0o644)
        files += 1
    if not files:
        raise Refused("holds no file")


def _blocks(member: Member, single: int, left: int) -> Iterator[bytes]:
    """The content of `member` block by block; `Refused` before the block that goes beyond a limit is used."""
    assert member.content is not None
    size = 0
    while data := member.content.read(1 << 16):
        size += len(data)
        if size > single:
            raise Refused(f"is larger than {single:,} bytes", member.name)
        if size > left:
            raise Refused("takes the archive beyond what one may unpack to", member.name)
        yield data


def _compare(blocks: Iterator[bytes], target: Path, name: str) -> int:
    size = 0
    with target.open("rb") as file:
        for block in blocks:
            if file.read(len(block)) != block:
                raise Refused("stands twice with different content", name)
            size += len(block)
        if file.read(1):
            raise Refused("stands twice with different content", name)
    return size


def _parts(name: str) -> tuple[str, ...]:
    """The path of a member below the target folder, or `Refused`."""
    if len(name) > 1000:
        raise Refused("has a name of more than 1,000 characters", name)
    if not all(c.isprintable() for c in name):
        # Control characters, NUL, and the lone surrogates that stand for bytes that are not UTF-8.
        raise Refused("has an unprintable character in its name", name)
    if "\\" in name or name[1:2] == ":":
        raise Refused("has a name that other systems read as another path", name)
    if name.startswith("/") or ".." in name.split("/"):
        raise Refused("points out of its folder", name)
    return tuple(part for part in name.split("/") if part not in ("", "."))


def _claim(parts: tuple[str, ...], member: Member, places: dict[str, tuple[str, ...]]) -> bool:
    """Take the place `parts`; whether this very file was here before. Two names for one are `Refused`.

    `places` has, under a folded path, the path as first spelt, with "/" at the end of a folder. Folded,
    because on some file systems `A.py` and `a.py` are one file, and a corpus must be the same everywhere.
    """
    if not parts and member.content is not None:
        raise Refused("has no name", member.name)
    for n in range(1, len(parts) + 1):
        folder = n < len(parts) or member.content is None
        spelt = (*parts[:n], "/") if folder else parts
        before = places.setdefault(unicodedata.normalize("NFC", "/".join(parts[:n])).casefold(), spelt)
        if folder != (before[-1] == "/"):
            raise Refused("is a file and a folder", member.name)
        if not folder and before is not spelt:
            if before != spelt:
                raise Refused("stands twice, letter case aside", member.name)
            return True
    return False


class _Limited(io.RawIOBase):
    """A stream that ends in `Refused` beyond `limit` bytes; a single demand beyond it is not even tried."""

    def __init__(self, stream: gzip.GzipFile | io.BufferedReader, limit: int) -> None:
        self._stream = stream
        self._left = limit

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size > self._left or size < 0:
            raise Refused("unpacks to more than is allowed for one archive")
        data = self._stream.read(size)
        self._left -= len(data)
        return data
