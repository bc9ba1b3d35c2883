"""What lies in the cache and no case of some corpora needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from pytest_reviewbench.corpus.sources.cache import Cache
from pytest_reviewbench.corpus.sources.materials import source_key
from pytest_reviewbench.curate.fetched import cases_there
from pytest_reviewbench.curate.needs import NotProvable, folder_name, read_needs
from pytest_reviewbench.errors import CorpusError
from pytest_reviewbench.model import Case, Source


def cases_of(corpora: Iterable[Path]) -> list[Case]:
    """Every case of `corpora`. Raises `CorpusError` for one that cannot be read: what it needs is not known."""
    found: list[Case] = []
    for folder in corpora:
        cases, problems = cases_there(folder)
        for name, (problem, *_) in sorted(problems.items()):
            raise CorpusError(f"{folder / name}/{problem}; nothing was removed, because what it needs is not known")
        found += cases.values()
    return found


def garbage(cache: Cache, cases: Sequence[Case]) -> list[Path]:
    """Files and folders of `cache` that none of `cases` needs, sorted. What nobody knows is left alone."""
    sources = [case.meta.source for case in cases if case.meta.source is not None]
    pins = {pin.sha256 for source in sources for pin in source.pins}
    changes = {source_key(shown) for source in sources for shown in _all_shown(source)}
    found = [
        path for kind in ("artefacts", "trees") for path in _inside(cache.root / kind) if path.name not in pins
    ]
    found += [path for path in _inside(cache.root / "changes") if path.name.partition(".")[0] not in changes]
    needed = []
    for case in cases:
        try:
            needed.append(read_needs(case.meta.proof_needs))
        except NotProvable:  # it has none then
            continue
    for path in _inside(cache.root / "needs"):
        kind = path.name.rpartition("-")[0]
        if all(path.name != folder_name(kind, needs) for needs in needed):
            found.append(path)
    return sorted(found)


def _all_shown(source: Source) -> Iterator[Source]:
    """`source`, and what its twin may show: the other changes between its trees."""
    yield source
    for mode in ("reverse-fix", "forward"):
        yield msgspec.structs.replace(source, mode=mode)
    if source.before is not None:
        yield msgspec.structs.replace(source, mode="intro", buggy=source.fixed)


def remove(cache: Cache, paths: Iterable[Path]) -> None:
    """Remove `paths` of `cache`, whose lock the caller holds. Nobody sees half of one."""
    for path in paths:
        with cache.scratch() as folder:
            path.rename(folder / path.name)


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files of a folder."""
    files = (inner for inner in path.rglob("*")) if path.is_dir() else iter([path])
    return sum(file.lstat().st_size for file in files if file.is_symlink() or file.is_file())


def _inside(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []
