"""Once, on the controller, between selection and the first item: code fetched, cases checked, runs made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from pytest_reviewbench.arms.protocol import ArmSpec, BuiltArm, Disclosure
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.corpus.loaded import Corpus
from pytest_reviewbench.corpus.shown import Shown, show
from pytest_reviewbench.corpus.sources.cache import Cache
from pytest_reviewbench.corpus.sources.materials import materialise, read_material
from pytest_reviewbench.errors import CorpusError
from pytest_reviewbench.model import Case, RunManifest, Split
from pytest_reviewbench.redact import redacted
from pytest_reviewbench.runs.environment import describe_environment
from pytest_reviewbench.runs.folder import RunFolder, create_run
from pytest_reviewbench.runs.session import RunKey
from pytest_reviewbench.settings import Settings

FETCH_TIMEOUT = 600.0
"""Seconds for one call of a registry client."""

Selection = Mapping[RunKey, Sequence[str]]
"""(arm, rep) -> the case ids that were selected for it."""

Progress = Callable[[int, int, str], None]


def prepare_cases(
    cases: Iterable[Case], cache: Cache, children: Children, *, offline: bool, progress: Progress
) -> None:
    """Fetch the pinned code of `cases` and check that each of those shows what its truth speaks of.

    Raises `SourceError` or `CorpusError` for the first that does not. A twin comes with its case; whether it is one
    is seen when it is reviewed.
    """
    pinned = [*{case.original.id: case.original for case in cases if case.meta.source is not None}.values()]
    sources = {case.id: case.meta.source for case in pinned if case.meta.source is not None}
    if sources:
        materialise(sources, cache, children, offline=offline, timeout=FETCH_TIMEOUT, progress=progress)
    for case in pinned:
        show_case(case, cache)


def check_committed(cases: Iterable[Case]) -> None:
    """Check that each of `cases` whose change is committed shows what its truth speaks of. Raises `CorpusError`."""
    for case in cases:
        if case.meta.source is None and case.meta.no_change is None:
            show(case, None)


def show_case(case: Case, cache: Cache) -> Shown:
    """What `case` shows, its pinned code read from the cache. Raises `CorpusError` when it is not there."""
    if case.meta.source is None:
        return show(case, None)
    material = read_material(case.meta.source, cache)
    if material is None:
        raise CorpusError(
            f"case {case.id}: its code is not in the cache {cache.root}; the controller fetches it at the start of "
            "a session, so this process sees another cache (REVIEWBENCH_CACHE)"
        )
    return show(case, material)


def create_runs(
    selection: Selection,
    arms: Sequence[BuiltArm],
    corpus: Corpus,
    identity: str,
    settings: Settings,
    jobs: int,
    children: Children,
) -> dict[RunKey, RunFolder]:
    """A run folder for every arm and rep of `selection`, its manifest written.

    `identity` is the corpus' sha256; `children` are those that the reviewers will be.
    """
    environment = describe_environment()
    by_name = {built.name: built for built in arms}
    runs = {}
    for (arm, rep), cases in sorted(selection.items()):
        built = by_name[arm]
        given = built.spec.given()
        shown = shown_settings(built.spec)
        hidden = tuple(sorted(key for key, value in given.items() if shown[key] != _plain(value)))

        disclosed = built.disclosure

        def manifest(
            started: str,
            built: BuiltArm = built,
            rep: int = rep,
            ids: Sequence[str] = cases,
            shown: Mapping[str, Any] = shown,
            disclosed: Disclosure = disclosed,
            hidden: tuple[str, ...] = hidden,
        ) -> RunManifest:
            return RunManifest(
                arm=built.name,
                rep=rep,
                family=built.spec.family,
                settings=shown,
                redacted=hidden,
                versions={name: _shown(version) for name, version in built.arm.versions.items()},
                environment=environment,
                corpus_sha256=identity,
                matcher_versions={case: corpus.case(case).truth.matcher_version for case in ids},
                split=_split(corpus.case(case).split for case in ids) if settings.cases else settings.split,
                cases=tuple(sorted(ids)),
                absent=len(corpus.absent),
                scope=built.arm.scope,
                jobs=jobs,
                timeout=settings.timeout,
                started=started,
                sandbox=children.sandbox.name,
                uncontained=children.sandbox.reason,
                bounded=children.bounded,
                agent=disclosed.agent,
                agent_version=disclosed.agent_version,
                agent_home=settings.agent_home if disclosed.agent is not None else None,
                prompt_sha256=disclosed.prompt_sha256,
                skill_sha256=disclosed.skill_sha256,
                base_url=_shown(disclosed.base_url),
                price=disclosed.price,
                base=settings.base.name if settings.base is not None and built.base is not None else built.base,
                model=shown.get("model"),
                arguments=None if built.spec.argv is None else tuple(shown["argv"]),
            )

        runs[arm, rep] = create_run(settings.runs, arm, rep, manifest)
    return runs


def _split(sides: Iterable[Split]) -> Literal["test", "train", "all"]:
    """What a choice by id amounts to: one side of the split, or both."""
    found = set(sides)
    return found.pop() if len(found) == 1 else "all"


def shown_settings(spec: ArmSpec) -> dict[str, Any]:
    """The keys that an arm was given, as its manifest holds them."""
    return {key: _shown(value) for key, value in spec.given().items()}


def _shown(value: Any) -> Any:
    """A setting as a manifest holds it: without secrets. What somebody wrote into an argv is not ours to store."""
    if isinstance(value, tuple):
        return [_shown(inner) for inner in value]
    return redacted(value) if isinstance(value, str) else value


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
