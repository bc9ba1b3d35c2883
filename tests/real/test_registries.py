"""The real pip and npm. Needs the network, except where a registry is made unreachable on purpose."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_reviewbench.contain.process import Children, Completed
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.corpus.sources.cache import Cache
from pytest_reviewbench.corpus.sources.materials import Material, materialise
from pytest_reviewbench.errors import SourceError
from pytest_reviewbench.model import Pin, Source

needs_npm = pytest.mark.skipif(find_program("npm") is None, reason="npm is not installed (extra `tools` brings it)")

PYJWT = Source(
    ecosystem="pypi",
    package="PyJWT",
    buggy=Pin(
        version="2.10.0",
        filename="PyJWT-2.10.0-py3-none-any.whl",
        sha256="543b77207db656de204372350926bed5a86201c4cbff159f623f79c7bb487a15",
    ),
    fixed=Pin(
        version="2.10.1",
        filename="PyJWT-2.10.1-py3-none-any.whl",
        sha256="dcdd193e30abefd5debf142f9adfcdd2b58004e644f25406ffaebd50bd98dacb",
    ),
    files=("jwt/api_jwt.py",),
    mode="reverse-fix",
)
MINIMIST = Source(
    ecosystem="npm",
    package="minimist",
    buggy=Pin(
        version="1.2.5",
        filename="minimist-1.2.5.tgz",
        sha256="a1800ce4d39356e96497bd09a41fad0033a13dd8eeb469008333547505ce4350",
    ),
    fixed=Pin(
        version="1.2.6",
        filename="minimist-1.2.6.tgz",
        sha256="49c9124665fc1900e589be610b8dc69d5e61a179e9ed8547c6d61d30a225e726",
    ),
    files=("package/index.js",),
    mode="reverse-fix",
)


class Counted(Children):
    """Children that remember what was started."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[tuple[str, ...]] = []

    def run(self, argv, **how):  # type: ignore[no-untyped-def]
        done: Completed = super().run(argv, **how)
        self.started.append(done.argv)
        return done


def fetched(
    sources: Mapping[str, Source], cache: Cache, children: Children, environ: Mapping[str, str] = os.environ
) -> dict[str, Material]:
    return materialise(sources, cache, children, offline=False, timeout=120, environ=environ)


def or_skip(sources: Mapping[str, Source], cache: Cache, children: Children) -> dict[str, Material]:
    try:
        return fetched(sources, cache, children)
    except SourceError as e:
        if "cannot be reached" in str(e):
            pytest.skip(f"no registry here: {e}")
        raise


@needs_npm
def test_both_registries_deliver_in_few_calls_and_the_second_time_nothing_is_started(tmp_path: Path) -> None:
    sources = {"py": PYJWT, "js": MINIMIST}
    cache, children = Cache(tmp_path / "cache"), Counted()
    first = or_skip(sources, cache, children)
    assert len(children.started) == 3  # pip takes one version of a package at a time, npm all
    assert b"+            if payload" in first["py"].patch.read_bytes()
    assert b"-            if (isConstructorOrProto(o, key)) return;" in first["js"].patch.read_bytes()
    again = Counted()
    again.end_all()
    assert fetched(sources, cache, again) == first
    assert again.started == []
    assert not list(cache.root.glob("tmp/*"))


@pytest.mark.parametrize("source", [PYJWT, pytest.param(MINIMIST, marks=needs_npm)], ids=["pypi", "npm"])
def test_a_wrong_hash_and_a_version_that_does_not_exist_are_told_apart(source: Source, tmp_path: Path) -> None:
    wrong = _with_fixed(source, sha256="00" * 32)
    missing = _with_fixed(source, version="99.99.99")
    cache = Cache(tmp_path / "cache")
    with pytest.raises(SourceError, match=rf"{source.package}@.*expected sha256 0000.*got {source.fixed.sha256}"):
        or_skip({"x": wrong}, cache, Children())
    with pytest.raises(
        SourceError, match=rf"{source.package}@99\.99\.99: the {source.ecosystem} registry has no such"
    ):
        fetched({"x": missing}, cache, Children())


@pytest.mark.parametrize("source", [PYJWT, pytest.param(MINIMIST, marks=needs_npm)], ids=["pypi", "npm"])
@pytest.mark.parametrize("address", ["http://user:hunter2@127.0.0.1:9/simple/", "http://nowhere.invalid/simple/"])
def test_a_registry_that_does_not_answer_is_named_without_its_address(
    source: Source, address: str, tmp_path: Path
) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.lower().startswith(("pip_", "npm_"))}
    environ |= {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": address, "PIP_RETRIES": "0"}
    environ |= {"npm_config_registry": address, "npm_config_fetch_retries": "0", "NO_PROXY": "*"}
    with pytest.raises(SourceError) as caught:
        fetched({"x": source}, Cache(tmp_path / "cache"), Children(), environ)
    said = str(caught.value)
    assert f"{source.ecosystem} {source.package}@" in said
    assert "cannot be reached" in said
    assert "--reviewbench-offline" in said
    for private in ("hunter2", "127.0.0.1", "nowhere", "http"):
        assert private not in said


def _with_fixed(source: Source, *, version: str | None = None, sha256: str | None = None) -> Source:
    pin = source.fixed
    fixed = Pin(version=version or pin.version, filename=pin.filename, sha256=sha256 or pin.sha256)
    return Source(
        ecosystem=source.ecosystem, package=source.package, buggy=source.buggy, fixed=fixed, files=source.files,
        mode=source.mode,
    )  # fmt: skip
