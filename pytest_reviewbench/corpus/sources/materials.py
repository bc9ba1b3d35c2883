"""What a case shows and stands on: its patch, its tree, the places of its fix; built once, into the cache."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pytest_reviewbench import codec
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.corpus.sources.archives import extract
from pytest_reviewbench.corpus.sources.cache import Cache, same_tree, sha256_of
from pytest_reviewbench.corpus.sources.diff import Span, fix_places, unified
from pytest_reviewbench.corpus.sources.fetch import fetch
from pytest_reviewbench.corpus.sources.leaks import hide_answer, hide_versions
from pytest_reviewbench.corpus.sources.registry import Artefact, Progress
from pytest_reviewbench.corpus.sources.twin import Twin, TwinRecord, build_twin, read_twin
from pytest_reviewbench.errors import FormatError, SourceError
from pytest_reviewbench.model import Pin, Record, Sha256, Source

FILTER_VERSION = 2
"""Raised whenever the same source would give another patch or other places: old ones are then built anew."""


class Change(Record, frozen=True, kw_only=True):
    """`changes/<key>.json`: written last, so that its presence says the patch beside it is complete."""

    schema: Literal[1] = 1
    patch_sha256: Sha256
    head: Mapping[str, Sha256 | None]
    fix_places: Mapping[str, tuple[Span, ...]] | None
    twin: TwinRecord | None = None
    no_twin: str | None = None


@dataclass(frozen=True, slots=True)
class Material:
    """A materialised case. `tree` is the version that the change leads to, in the cache: for reading only.

    `fix_places` has, per named file, the lines of the buggy version that the fix changes; None where the head
    is not the buggy version. `twin` is the same change without the bug; None: there is none, as `no_twin` says.
    """

    patch: Path
    tree: Path
    files: tuple[str, ...]
    fix_places: Mapping[str, tuple[Span, ...]] | None
    twin: Twin | None = None
    no_twin: str | None = None


def nothing_to_say(done: int, total: int, what: str) -> None:
    """A progress callback for those who show none."""


def materialise(
    sources: Mapping[str, Source],
    cache: Cache,
    children: Children,
    *,
    offline: bool,
    timeout: float,
    progress: Progress = nothing_to_say,
    environ: Mapping[str, str] = os.environ,
) -> dict[str, Material]:
    """The material of every source, by the same names (case ids), downloading and building what is missing.

    `timeout` is in seconds for one call of a registry client. When everything is there no process is started
    and no lock is taken. Raises `SourceError`: the first problem, and how many others there are.
    """
    found = _read_all(sources, cache)
    if len(found) == len(sources):
        return found
    with cache.locked(wait=4 * timeout):
        try:
            # Another session may have done the work while this one waited for the lock.
            found = _read_all(sources, cache)
            missing = {name: source for name, source in sources.items() if name not in found}
            _bring(missing.values(), cache, children, offline, timeout, environ, progress)
            _build_all(missing, cache, progress)
        except OSError as e:
            raise cache.unusable(e) from None
    found = _read_all(sources, cache)
    if lost := sorted(sources.keys() - found.keys()):
        raise SourceError(f"{lost[0]}: vanished from the cache {cache.root} while it was read; run again")
    return found


def read_material(source: Source, cache: Cache) -> Material | None:
    """What `materialise` left for `source`; None when it is not there, or no longer what it was."""
    key = source_key(source)
    try:
        raw = cache.change(key, ".json").read_bytes()
        change = codec.decode(raw, Change, f"changes/{key}.json")
        patch, tree = cache.change(key, ".patch"), cache.tree(source.head.sha256)
        if sha256_of(patch) != change.patch_sha256:
            return None
        if any(_hash(read_named(tree, file)) != sha256 for file, sha256 in change.head.items()):
            return None
        twin = None
        if change.twin is not None:
            twin = read_twin(cache, key, change.twin, cache.tree(source.fixed.sha256), source.files)
            if twin is None:
                return None
    except (OSError, FormatError):
        return None
    return Material(patch, tree, source.files, change.fix_places, twin, change.no_twin)


def source_key(source: Source) -> str:
    """The name of a source's change in the cache: equal exactly when source and filter are."""
    return hashlib.sha256(b"%d\n%s" % (FILTER_VERSION, codec.encode(source))).hexdigest()


def read_named(tree: Path, file: str) -> bytes | None:
    """The bytes of the named file of a tree; None when there is no such file."""
    path = tree / file
    return path.read_bytes() if path.is_file() else None


def needed_pins(source: Source) -> tuple[Pin, ...]:
    """The pins without which the change or the places of its fix cannot be made."""
    return tuple({pin.sha256: pin for pin in (source.base, source.head, source.fixed)}.values())


def _read_all(sources: Mapping[str, Source], cache: Cache) -> dict[str, Material]:
    read = {name: read_material(source, cache) for name, source in sources.items()}
    return {name: material for name, material in read.items() if material is not None}


def _bring(
    sources: Iterable[Source],
    cache: Cache,
    children: Children,
    offline: bool,
    timeout: float,
    environ: Mapping[str, str],
    progress: Progress,
) -> None:
    """Artefacts fetched, trees extracted. No old tree is trusted: it may have been edited."""
    wanted = {Artefact.pinned(s, pin) for s in sources for pin in needed_pins(s)}
    fetch(wanted, cache, children, offline=offline, timeout=timeout, environ=environ, progress=progress)
    for done, artefact in enumerate(sorted(wanted)):
        progress(done, len(wanted), f"unpacking {artefact.spec}")
        with cache.scratch() as folder:
            try:
                extract(cache.artefact(artefact.sha256), artefact.filename, folder / "tree")
            except SourceError as e:
                raise SourceError(f"{artefact}: {e}") from None
            # An equal tree stays: another session may be reading it.
            if not same_tree(folder / "tree", cache.tree(artefact.sha256)):
                cache.keep_tree(folder / "tree", artefact.sha256)


def _build_all(sources: Mapping[str, Source], cache: Cache, progress: Progress) -> None:
    problems: list[str] = []
    for done, (name, source) in enumerate(sorted(sources.items())):
        progress(done, len(sources), name)
        try:
            _build(source, cache)
        except SourceError as e:
            problems.append(f"{name}: {e}")
    if problems:
        others = len(problems) - 1
        more = f" ({others} more {'case has' if others == 1 else 'cases have'} a problem)" if others else ""
        raise SourceError(problems[0] + more)


def _build(source: Source, cache: Cache) -> None:
    for file in source.files:
        if not _is_plain(file):
            raise SourceError(f"the file {file!a} is not a plain relative path")
    base, head, fixed = (_named(source, cache, pin) for pin in (source.base, source.head, source.fixed))
    for file in source.files:
        if base[file] is None and head[file] is None:
            raise SourceError(
                f"the file {file!a} is neither in {source.origin} {source.base.name} nor in {source.head.name}"
            )
    shown = {file: _shown(source, file, base[file], head[file]) for file in source.files}
    patch = unified((file, shown[file], head[file]) for file in source.files)
    if not patch:
        raise SourceError(
            f"the change shows nothing: {source.origin} {source.base.name} and {source.head.name} "
            "differ in no code of the named files"
        )
    key = source_key(source)
    places = None
    twin: TwinRecord | str = "its change is not that of a bug"
    if source.mode != "forward":
        # What a fix says is no place of the bug, and neither is the version it comes with.
        plain = shown if source.mode == "reverse-fix" else _without_prose(fixed, head)
        places = {file: tuple(_places(head[file], plain[file])) for file in source.files}
        twin = build_twin(cache, key, head if source.mode == "reverse-fix" else shown, plain, fixed)
    change = Change(
        patch_sha256=hashlib.sha256(patch).hexdigest(),
        head={file: _hash(data) for file, data in head.items()},
        fix_places=places,
        twin=None if isinstance(twin, str) else twin,
        no_twin=twin if isinstance(twin, str) else None,
    )
    cache.keep_change(key, ".patch", patch)
    cache.keep_change(key, ".json", codec.encode(change))


def _is_plain(file: str) -> bool:
    """Below the tree, and writable in a patch without quotes."""
    return (
        file.isprintable()
        and not set(file) & {'"', "\\"}
        and all(part not in ("", ".", "..") for part in file.split("/"))
    )


def _named(source: Source, cache: Cache, pin: Pin) -> dict[str, bytes | None]:
    tree = cache.tree(pin.sha256)
    return {file: read_named(tree, file) for file in source.files}


def _shown(source: Source, file: str, base: bytes | None, head: bytes | None) -> bytes | None:
    """The base that the diff starts from."""
    if base is None:
        return None
    if source.mode == "reverse-fix":
        return hide_answer(base, head or b"", file)
    return base if head is None else hide_versions(base, head)


def _without_prose(fixed: Mapping[str, bytes | None], buggy: Mapping[str, bytes | None]) -> dict[str, bytes | None]:
    return {
        file: None if data is None else hide_answer(data, buggy[file] or b"", file) for file, data in fixed.items()
    }


def _places(buggy: bytes | None, fixed: bytes | None) -> list[Span]:
    return [] if buggy is None else fix_places(buggy, fixed or b"")


def _hash(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()
