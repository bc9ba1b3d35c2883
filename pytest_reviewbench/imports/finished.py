"""A finished run made of reviews that somebody else did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pytest_reviewbench.corpus.digest import corpus_sha256
from pytest_reviewbench.corpus.loaded import Corpus
from pytest_reviewbench.model import Matches, Review, RunManifest, Scope, Verdicts
from pytest_reviewbench.runs.environment import describe_environment
from pytest_reviewbench.runs.folder import RunFolder, create_run

FAMILY = "import"
"""What a manifest has for the arm's family: nobody was asked here."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A review from elsewhere, what the matcher says of it, the answer as it came, and somebody's verdicts."""

    review: Review
    matches: Matches
    answer: str = ""
    verdicts: Verdicts | None = None


def write_run(
    runs: Path,
    corpus: Corpus,
    arm: str,
    rep: int,
    reviews: Sequence[Imported],
    settings: Mapping[str, Any],
    files: Mapping[str, str],
    *,
    scope: Scope | None = None,
    split: Literal["train", "test", "all"],
) -> RunFolder:
    """The complete run of `arm` below `runs`. `settings` say what it was imported from and as what,
    `files` the sha256 of each file by its name.

    Raises `RunError` when it cannot be written.
    """
    identity = corpus_sha256(corpus)

    def manifest(started: str) -> RunManifest:
        return RunManifest(
            arm=arm,
            rep=rep,
            family=FAMILY,
            settings=settings,
            versions={},
            environment=describe_environment(),
            corpus_sha256=identity,
            matcher_versions={
                one.review.case: corpus.case(one.review.case).truth.matcher_version for one in reviews
            },
            split=split,
            cases=tuple(sorted(one.review.case for one in reviews)),
            absent=len(corpus.absent),
            scope=scope,
            jobs=1,
            timeout=0,
            started=started,
            imported=dict(sorted(files.items())),
        )

    run = create_run(runs, arm, rep, manifest)
    for one in reviews:
        if one.verdicts is not None:
            run.write_verdicts(one.verdicts)
        run.write_review(one.review, one.matches, one.answer)
    run.finish()
    return run
