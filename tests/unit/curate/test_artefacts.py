"""Who is to blame for code that does not come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.corpus.sources.cache import Cache
from pytest_reviewbench.corpus.sources.registry import Artefact, Unreachable
from pytest_reviewbench.curate import artefacts
from pytest_reviewbench.errors import SourceError
from pytest_reviewbench.model import Case, Meta, Pin, Source, Truth
from tests.unit.sources.conftest import cache

__all__ = ["cache"]


def case(name: str, url: str | None) -> Case:
    pins: Any = {
        which: Pin(commit=digit * 40, sha256=digit * 64)
        if url
        else Pin(version=digit, filename=f"{digit}.tgz", sha256=digit * 64)
        for which, digit in (("buggy", "1"), ("fixed", "2"))
    }
    source = Source(
        ecosystem="git" if url else "npm", url=url, package=None if url else "demo", files=("a",),
        mode="reverse-fix", **pins,
    )  # fmt: skip
    return Case(id=name, split="test", folder="", meta=Meta(lang="c", source=source), truth=Truth(bugs=()))


CASES = [case("a", "https://example.org/here"), case("b", "https://example.org/gone"), case("c", None)]


@pytest.mark.parametrize(("silent", "blamed"), [("https://example.org/gone", ["b"]), ("demo", None)])
def test_a_silent_repository_is_blamed_alone_and_a_silent_registry_ends_the_search(
    silent: str, blamed: list[str] | None, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def fetch(wanted: Iterable[Artefact], *_: object, **how: object) -> None:
        calls.append(list(wanted))
        for artefact in calls[-1]:
            if artefact.package == silent:
                raise Unreachable(artefact, "no answer")

    monkeypatch.setattr(artefacts, "fetch", fetch)

    def bring() -> list[str]:
        return sorted(artefacts.bring(CASES, cache, Children(), offline=False, progress=lambda *_: None))

    if blamed is None:
        with pytest.raises(SourceError, match="the npm registry cannot be reached"):
            bring()
    else:
        assert bring() == blamed
    assert len(calls) <= 4  # every further call may wait for minutes
