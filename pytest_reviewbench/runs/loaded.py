"""A run as one value, for notebooks and scripts: what its folder stores, read and checked."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_reviewbench.errors import RunError
from pytest_reviewbench.model import Matches, Review, RunManifest, Verdict
from pytest_reviewbench.runs.folder import RunFolder
from pytest_reviewbench.runs.outcomes import judging


@dataclass(frozen=True, slots=True)
class LoadedRun:
    """What one run stores. Iterating gives its reviews in the order of the manifest's cases.

    `reviews` and `matches` are by case, in that order; a case without a review has neither. `verdicts` are by
    verifier id, then by case: a verdict by finding id, from the latest complete record; a case that has none is not
    there. Their reasons speak of the known bugs (of sealed cases they are encrypted), so none of it is in `repr`.
    """

    path: Path
    complete: bool
    manifest: RunManifest = field(repr=False)
    reviews: Mapping[str, Review] = field(repr=False)
    matches: Mapping[str, Matches] = field(repr=False)
    verdicts: Mapping[str, Mapping[str, Mapping[str, Verdict]]] = field(repr=False)

    @property
    def name(self) -> str:
        return self.path.name

    def __iter__(self) -> Iterator[Review]:
        return iter(self.reviews.values())

    def __len__(self) -> int:
        return len(self.reviews)


def load_run(path: str | os.PathLike[str], *, partial: bool = False) -> LoadedRun:
    """The run in the folder `path`, with everything but raw answers and event streams.

    Raises `pytest_reviewbench.errors.RunError`, one line, for what is no run, cannot be read, or is not complete;
    `partial` accepts the last: then reviews are missing.
    """
    run = RunFolder(Path(path).absolute())  # `.` has a name only so
    manifest = run.manifest()
    if not run.complete and not partial:
        raise RunError(
            f"{run.path}: not complete (no COMPLETE file); load_run(..., partial=True) reads what is there"
        )
    reviews = {case: found for case in manifest.cases if (found := run.review(case)) is not None}
    verdicts: dict[str, dict[str, Mapping[str, Verdict]]] = {}
    for verifier in run.verifiers():
        records = run.verdicts(verifier)
        verdicts[verifier] = {
            case: judged.verdicts
            for case, one in reviews.items()
            if (judged := judging(one, records.get(case, ()))) is not None and judged.verdicts is not None
        }
    return LoadedRun(
        path=run.path,
        complete=run.complete,
        manifest=manifest,
        reviews=reviews,
        matches={case: known for case in reviews if (known := run.matches(case)) is not None},
        verdicts=verdicts,
    )
