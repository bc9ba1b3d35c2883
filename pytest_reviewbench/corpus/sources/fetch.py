"""Missing artefacts into the cache: few client calls, every hash compared before anything is opened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.corpus.sources import npm, pypi
from pytest_reviewbench.corpus.sources.cache import Cache, sha256_of
from pytest_reviewbench.corpus.sources.registry import Artefact, Progress, Unreachable, failed, wrong_hash
from pytest_reviewbench.errors import ReviewFailed, SourceError

CLIENTS: Mapping[str, ModuleType] = {"npm": npm, "pypi": pypi}


def fetch(
    wanted: Iterable[Artefact],
    cache: Cache,
    children: Children,
    *,
    offline: bool,
    timeout: float,
    environ: Mapping[str, str],
    progress: Progress,
) -> None:
    """Bring every artefact of `wanted` into `cache`, whose lock the caller holds; `timeout` is per call.

    What is there and intact is not asked for; what is there and damaged is fetched anew. Raises `SourceError`
    with the first problem and how many artefacts are missing besides; what did arrive stays in the cache.
    """
    missing = sorted({artefact for artefact in wanted if not cache.intact(artefact.sha256)})
    if not missing:
        return
    if offline:
        raise SourceError(
            f"{_counted(len(missing), 'artefact is', 'artefacts are')} not in the cache {cache.root}, "
            f"first: {missing[0]}; run once without --reviewbench-offline"
        )
    problems: list[SourceError] = []
    done = 0
    for ecosystem, client in CLIENTS.items():
        for batch in client.batches(a for a in missing if a.ecosystem == ecosystem):
            progress(done, len(missing), f"{ecosystem} {batch[0].spec}, ...")
            arrived, found = _fetch_batch(batch, client, cache, children, timeout, environ)
            done += arrived
            problems += found
            if any(isinstance(problem, Unreachable) for problem in found):
                break
    progress(done, len(missing), "artefacts")
    if problems:
        others = len(missing) - done - 1
        more = _counted(others, "more artefact is", "more artefacts are")
        raise SourceError(f"{problems[0]} ({more} missing)" if others > 0 else str(problems[0]))


def _fetch_batch(
    batch: Sequence[Artefact],
    client: ModuleType,
    cache: Cache,
    children: Children,
    timeout: float,
    environ: Mapping[str, str],
) -> tuple[int, list[SourceError]]:
    """(how many arrived, what went wrong)."""
    with cache.scratch() as work:
        try:
            into: Path = client.download(batch, work, children, timeout=timeout, environ=environ)
        except SourceError as e:
            return 0, [e]
        except ReviewFailed as e:
            return 0, [failed(batch[0], str(e))]
        hashes = {file.name: sha256_of(file) for file in sorted(into.iterdir()) if file.is_file()}
        names = {sha256: name for name, sha256 in hashes.items()}
        problems = []
        for artefact in batch:
            if artefact.sha256 in names:
                cache.keep_artefact(into / names[artefact.sha256], artefact.sha256)
            elif (name := client.delivered_name(artefact)) in hashes:
                problems.append(wrong_hash(artefact, hashes[name]))
            else:
                problems.append(failed(artefact, "it delivered no such file"))
        return len(batch) - len(problems), problems


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
