"""Martian's rows as finished runs: one per tool and judge."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from pytest_reviewbench.answers.normalise import clean_text, normalise
from pytest_reviewbench.corpus.digest import corpus_sha256
from pytest_reviewbench.corpus.loaded import Corpus
from pytest_reviewbench.imports.finished import Imported, write_run
from pytest_reviewbench.imports.martian import Judged, PullRequest, Row, bugs_of, case_ids
from pytest_reviewbench.imports.new_corpus import SPLIT
from pytest_reviewbench.model import Case, Error, Review, Verdict, Verdicts
from pytest_reviewbench.redact import redacted
from pytest_reviewbench.runs.folder import RunFolder
from pytest_reviewbench.tasks.review import ungraded
from pytest_reviewbench.verify.verifier import verifier_id

NONE_OF_THEM = (
    "The judge of this benchmark says which golden comment a finding is; of one that is none it does not say "
    "whether it is real."
)
GAVE_WAY = "Taken for a golden comment for which the judge preferred another finding; it does not say which."
REASON_LIMIT = 2_000


def write_runs(runs: Path, corpus: Corpus, pulls: Sequence[PullRequest], judged: Judged) -> dict[str, RunFolder]:
    """A complete run for every tool that this judge read, by arm. Raises `RunError`."""
    ids, identity = case_ids(pulls), corpus_sha256(corpus)
    verifier = verifier_id("imported", judged.judge, None)
    settings = {"from": "martian", "judge": redacted(judged.judge)}
    cases = [(corpus.cases[ids[pull.url]], pull) for pull in pulls]
    blank = Verdicts(case="", verifier=verifier, corpus_sha256=identity, model=judged.judge, attempts=0)
    made = {}
    for arm, rows in judged.rows.items():
        reviews = [_imported(case, pull, rows.get(pull.url), arm, blank) for case, pull in cases]
        made[arm] = write_run(runs, corpus, arm, 1, reviews, settings, judged.files, split=SPLIT)
    return made


def _imported(case: Case, pull: PullRequest, row: Row | None, arm: str, judged: Verdicts) -> Imported:
    """The review of one tool. `judged` is what all records of its judge have in common."""
    blank = Review(case=case.id, arm=arm, rep=1, status="error", attempts=0)
    if row is None:
        error = Error(kind="not_run", message="the benchmark has no row for it")
        return Imported(replace(blank, status="not_run", error=error), ungraded(case))
    if row.failed is not None:
        return Imported(replace(blank, error=Error(kind="imported", message=row.failed)), ungraded(case))
    texts = [text for text in row.findings if redacted(clean_text(text))]  # as `normalise` leaves others out
    made = normalise(({"text": text} for text in row.findings), ())
    return Imported(
        replace(blank, status="ok", findings=made.findings, warnings=(*row.warnings, *made.warnings)),
        ungraded(case),
        verdicts=replace(
            judged,
            case=case.id,
            verdicts={f.id: _verdict(text, pull, row) for text, f in zip(texts, made.findings, strict=True)},
        ),
    )


def _verdict(text: str, pull: PullRequest, row: Row) -> Verdict:
    bugs = bugs_of(pull)
    if said := (row.named or {}).get(text):
        wanted = {comment for comment, _ in said}
        reason = redacted(clean_text("\n".join(reason for _, reason in said)))[:REASON_LIMIT]
        return Verdict(
            verdict="gt_same",
            bugs=tuple(bug for bug, golden in bugs.items() if golden.text in wanted),
            reason=reason,
        )
    if text in row.false:
        return Verdict(verdict="unverifiable", reason=NONE_OF_THEM)
    return Verdict(verdict="gt_same", bugs=tuple(bugs) if len(bugs) == 1 else (), reason=GAVE_WAY)
