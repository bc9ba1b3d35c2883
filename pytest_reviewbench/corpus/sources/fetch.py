"""Missing artefacts into the cache: few client calls, every hash compared before anything is opened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.corpus.sources import git, npm, pypi
from pytest_reviewbench.corpus.sources.cache import Cache, sha256_of
from pytest_reviewbench.corpus.sources.registry import Artefact, Progress, Unreachable, failed, wrong_hash
from pytest_reviewbench.errors import ReviewFailed, SourceError

CLIENTS: Mapping[str, ModuleType] = {"git": git, "npm": npm, "pypi": pypi}
JOBS = 4
"""Calls of clients at once: they mostly wait."""


def fetch(
    wanted: Iterable[Artefact],
    cache: Cache,
    children: Children,
    *,
    offline: bool,
    timeout: float,
    environ: Mapping[str, str],
    progress: Progress,
    jobs: int = JOBS,
) -> None:
    """Bring every artefact of `wanted` into `cache`, whose lock the caller holds.

    `timeout` is per call, of which up to `jobs` run at once. What is there and intact is not asked for; what is
    there and damaged is fetched anew. Raises `SourceError` with the first problem and how many artefacts are
    missing besides; what did arrive stays in the cache.
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
    todo = [
        (ecosystem, batch)
        for ecosystem, client in CLIENTS.items()
        for batch in client.batches(a for a in missing if a.ecosystem == ecosystem)
    ]
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="fetch")
    finished = False
    try:
        running = {
            pool.submit(_fetch_batch, batch, CLIENTS[ecosystem], cache, children, timeout, environ): (
                ecosystem,
                batch,
            )
            for ecosystem, batch in todo
        }
        progress(0, len(missing), f"{missing[0].ecosystem} {missing[0].spec}, ...")
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                ecosystem, batch = running.pop(future)
                if future.cancelled():
                    continue
                arrived, found = future.result()
                done += arrived
                problems += found
                progress(done, len(missing), f"{ecosystem} {batch[0].spec}, ...")
                if any(isinstance(problem, Unreachable) for problem in found):
                    _give_up(ecosystem, batch, running)
        finished = True
    finally:
        if not finished:
            pool.shutdown(wait=False, cancel_futures=True)
            children.end_all()
        pool.shutdown(wait=True)
    progress(done, len(missing), "artefacts")
    if problems:
        problems.sort(key=lambda problem: (isinstance(problem, Unreachable), str(problem)))
        first = problems[0]
        if (others := len(missing) - done - 1) > 0:
            more = _counted(others, "more artefact is", "more artefacts are")
            first.args = (f"{first} ({more} missing)",)
        raise first


def _give_up(
    ecosystem: str, batch: Sequence[Artefact], running: Mapping[Future[Any], tuple[str, Sequence[Artefact]]]
) -> None:
    """Take back the calls that would ask the same registry, or the same repository, in vain."""
    for future, (other, theirs) in running.items():
        if other == ecosystem and (other != "git" or theirs[0].package == batch[0].package):
            future.cancel()


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
