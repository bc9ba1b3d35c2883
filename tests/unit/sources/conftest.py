"""Small published packages, made here: no test of this folder needs a network."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pytest_reviewbench.corpus.sources.cache import Cache
from pytest_reviewbench.model import Pin, Source

Publish = Callable[..., Source]


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture
def publish(cache: Cache) -> Publish:
    """`publish(buggy={path: bytes}, fixed=..., mode=..., ...)`: a source whose artefacts lie in the cache."""

    def make(
        *,
        buggy: Mapping[str, bytes],
        fixed: Mapping[str, bytes],
        before: Mapping[str, bytes] | None = None,
        files: tuple[str, ...] = ("package/a.py",),
        mode: str = "reverse-fix",
        ecosystem: str = "npm",
    ) -> Source:
        return Source(
            ecosystem=ecosystem,  # type: ignore[arg-type]
            package="demo",
            buggy=_pin(cache, "1.0.0", buggy, ecosystem),
            fixed=_pin(cache, "1.0.1", fixed, ecosystem),
            before=None if before is None else _pin(cache, "0.9.0", before, ecosystem),
            files=files,
            mode=mode,  # type: ignore[arg-type]
        )

    return make


def _pin(cache: Cache, version: str, files: Mapping[str, bytes], ecosystem: str) -> Pin:
    data = wheel(files) if ecosystem == "pypi" else tarball(files)
    sha256 = hashlib.sha256(data).hexdigest()
    place = cache.artefact(sha256)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    name = f"demo-{version}-py3-none-any.whl" if ecosystem == "pypi" else f"demo-{version}.tgz"
    return Pin(version=version, filename=name, sha256=sha256)


def tarball(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def wheel(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()
