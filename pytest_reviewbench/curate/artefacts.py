"""The pinned artefacts of many cases into the cache, and whose pins are to blame for what does not come."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.corpus.layout import META
from pytest_reviewbench.corpus.sources.cache import Cache
from pytest_reviewbench.corpus.sources.fetch import JOBS, fetch
from pytest_reviewbench.corpus.sources.registry import Artefact, Progress, Unreachable
from pytest_reviewbench.curate.problem import Problem
from pytest_reviewbench.errors import SourceError
from pytest_reviewbench.model import Case

CALL_SECONDS = 600.0
"""For one call of a registry client."""


def pins_of(case: Case) -> dict[str, Artefact]:
    """The artefacts that `case` pins, by the JSON path of the pin."""
    source = case.meta.source
    if source is None:
        return {}
    named = {"buggy": source.buggy, "fixed": source.fixed, "before": source.before}
    return {
        f"{META}: $.source.{name}": Artefact.pinned(source, pin) for name, pin in named.items() if pin is not None
    }


def bring(
    cases: Sequence[Case], cache: Cache, children: Children, *, offline: bool, progress: Progress, jobs: int = JOBS
) -> dict[str, list[Problem]]:
    """Every pinned artefact of `cases` into the cache; what is wrong, by case id.

    An artefact that was in the cache and is not what its name says is fetched anew, and said. Raises `SourceError`
    when a registry cannot be reached or the cache cannot be used.
    """
    found: dict[str, list[Problem]] = {}
    wanted: dict[Artefact, list[tuple[str, str]]] = {}
    for case in cases:
        for where, artefact in pins_of(case).items():
            wanted.setdefault(artefact, []).append((case.id, where))
            if cache.artefact(artefact.sha256).exists() and not cache.intact(artefact.sha256):
                then = "offline, nothing replaces it" if offline else "fetched anew"
                said = f"its file in the cache was damaged; {then}"
                found.setdefault(case.id, []).append(Problem(where, said, "warning"))

    def get(artefacts: Sequence[Artefact]) -> None:
        fetch(
            artefacts,
            cache,
            children,
            offline=offline,
            timeout=CALL_SECONDS,
            environ=os.environ,
            progress=progress,
            jobs=jobs,
        )

    with cache.locked(wait=4 * CALL_SECONDS):
        blamed = _each_that_fails(sorted(wanted), get)
    for artefact, error in blamed.items():
        for case_id, where in wanted[artefact]:
            found.setdefault(case_id, []).append(Problem(where, str(error)))
    return found


def _each_that_fails(
    wanted: Sequence[Artefact], get: Callable[[Sequence[Artefact]], None]
) -> Mapping[Artefact, SourceError]:
    """One bad pin spoils the call that it is in: halves are tried until each is found.

    A repository that cannot be reached is to blame itself; a registry that cannot is nothing of one case.
    """
    try:
        get(wanted)
    except Unreachable as e:
        places = sorted({_place(artefact) for artefact in wanted})
        if not any(places):
            raise
        if len(places) == 1:
            return dict.fromkeys(wanted, e)
        return {
            artefact: error
            for place in places
            for artefact, error in _each_that_fails([a for a in wanted if _place(a) == place], get).items()
        }
    except SourceError as e:
        if len(wanted) == 1:
            return {wanted[0]: e}
        half = len(wanted) // 2
        return {**_each_that_fails(wanted[:half], get), **_each_that_fails(wanted[half:], get)}
    return {}


def _place(artefact: Artefact) -> str:
    """The URL of a repository; nothing for a registry."""
    return artefact.package if artefact.ecosystem == "git" else ""
