"""Filled-in rows -> verdict records of `human-NAME` in the runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_reviewbench.adjudicate.items import item_id, labelled_reviews
from pytest_reviewbench.adjudicate.table import Row
from pytest_reviewbench.corpus.seal import seal_text
from pytest_reviewbench.errors import FormatError, RunError
from pytest_reviewbench.model import Review, Verdict, Verdicts
from pytest_reviewbench.redact import redacted
from pytest_reviewbench.runs.folder import RunFolder
from pytest_reviewbench.verify.prompt import judged_id


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: findings that have labels now, that are still open; records written."""

    labelled: int
    open: int
    records: int


def import_labels(
    runs: Sequence[RunFolder],
    rows: Iterable[Row],
    verifier: str,
    *,
    recipient: Callable[[str], str | None],
    when: str,
) -> Imported:
    """Store `rows` as verdicts of `verifier` on every review that has the finding, beside what it said before.

    Nothing is written unless every row can be. A review whose findings are not all labelled gets a record of those
    that are; it counts as judged when the rest has come. `recipient` says for which key the reasons of a case are
    encrypted. `when` is an ISO time. Raises `FormatError` and `RunError`.
    """
    known, bugs = _known(runs)
    said: dict[str, Row] = {}
    for row in rows:
        shas = {run.manifest().corpus_sha256[:12] for run in runs}
        if row.corpus and row.corpus not in shas:
            raise RunError(f"{row.where}: is of corpus {row.corpus[:12]}, the runs of {', '.join(sorted(shas))}")
        if row.item not in known:
            raise FormatError(f"{row.where}: no finding of these runs has this item; name the runs of the export")
        other = said.setdefault(row.item, row)
        if (other.verdict, other.numbers) != (row.verdict, row.numbers):
            raise FormatError(f"{row.where}: says something else than {other.where}; leave one of them")
    verdicts = {name: _verdict(row, known[name], bugs, recipient) for name, row in said.items()}
    before = _before(runs, verifier)
    records = 0
    for run in runs:
        stored = run.verdicts(verifier)
        for review in labelled_reviews(run):
            record = _record(run, review, verifier, before | verdicts, when)
            last = stored.get(review.case, [None])[-1]
            if record.verdicts and (last is None or last.verdicts != record.verdicts):
                run.write_verdicts(record)
                records += 1
    done = known.keys() & (before.keys() | verdicts.keys())
    return Imported(len(done), len(known) - len(done), records)


def _known(runs: Sequence[RunFolder]) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """The case of each item, and the ids of the known bugs of each case, in the order of their numbers."""
    items: dict[str, str] = {}
    bugs: dict[str, tuple[str, ...]] = {}
    for run in runs:
        sha256 = run.manifest().corpus_sha256
        for review in labelled_reviews(run):
            items |= {item_id(sha256, review.case, f.id): review.case for f in review.findings}
            matches = run.matches(review.case)
            if matches is not None:
                bugs[review.case] = tuple(bug.id for bug in matches.bugs)
    return items, bugs


def _verdict(
    row: Row, case: str, bugs: Mapping[str, tuple[str, ...]], recipient: Callable[[str], str | None]
) -> Verdict:
    names, numbers = bugs.get(case, ()), row.numbers
    if row.verdict == "gt_same" and not numbers:
        if len(names) != 1:
            raise FormatError(f"{row.where}: gt_same, and {len(names)} bugs are known; write which in 'bugs'")
        numbers = (1,)
    if not all(1 <= number <= len(names) for number in numbers):
        raise FormatError(f"{row.where}: bugs: there are {len(names)} known bugs, counted from 1")
    return Verdict(
        verdict=row.verdict,
        bugs=tuple(names[number - 1] for number in numbers),
        reason=seal_text(redacted(row.why), recipient(case)),
    )


def _before(runs: Sequence[RunFolder], verifier: str) -> dict[str, Verdict]:
    """What this person said of these runs before, by item."""
    found: dict[str, Verdict] = {}
    for run in runs:
        sha256 = run.manifest().corpus_sha256
        for case, records in run.verdicts(verifier).items():
            for record in records:
                found |= {item_id(sha256, case, name): verdict for name, verdict in record.verdicts.items()}
    return found


def _record(run: RunFolder, review: Review, verifier: str, said: Mapping[str, Verdict], when: str) -> Verdicts:
    sha256 = run.manifest().corpus_sha256
    items = {f.id: item_id(sha256, review.case, judged_id(f.id)) for f in review.findings}
    return Verdicts(
        case=review.case,
        verifier=verifier,
        verdicts={name: said[item] for name, item in items.items() if item in said},
        corpus_sha256=sha256,
        context=True,
        when=when,
    )
