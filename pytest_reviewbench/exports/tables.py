"""Runs as three flat tables: cases, findings, verdicts. docs/exports.md says what the columns are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_reviewbench.model import TWIN, RunManifest, Usage
from pytest_reviewbench.runs.folder import RunFolder
from pytest_reviewbench.runs.loaded import LoadedRun, load_run
from pytest_reviewbench.runs.outcomes import read_outcomes
from pytest_reviewbench.scoring.outcomes import Outcome

Kind = Literal["text", "texts", "int", "float", "bool"]
Cell = str | tuple[str, ...] | int | float | bool | None
Row = tuple[Cell, ...]

KEY: tuple[tuple[str, Kind], ...] = (("run", "text"), ("arm", "text"), ("rep", "int"), ("case", "text"))
CASES: tuple[tuple[str, Kind], ...] = (
    *KEY, ("corpus_sha256", "text"), ("split", "text"), ("kind", "text"), ("twin", "bool"), ("lang", "text"),
    ("class", "text"), ("origin", "text"), ("published", "text"), ("status", "text"), ("reason", "text"),
    ("tainted", "bool"), ("bugs", "int"), ("bugs_hit", "int"), ("findings", "int"), ("findings_matched", "int"),
    ("seconds", "float"), ("cost_usd", "float"), ("cost_source", "text"), ("input_tokens", "int"),
    ("output_tokens", "int"), ("cache_read_tokens", "int"), ("cache_write_tokens", "int"), ("turns", "int"),
    ("attempts", "int"), ("model", "text"), ("skill_loaded", "bool"),
)  # fmt: skip
FINDINGS: tuple[tuple[str, Kind], ...] = (
    *KEY, ("finding", "text"), ("counted", "bool"), ("file", "text"), ("line", "int"), ("end_line", "int"),
    ("severity", "text"), ("text", "text"), ("tool", "text"), ("rule", "text"), ("bugs", "texts"),
    ("touches_fix", "bool"), ("gone_when_fixed", "bool"),
)  # fmt: skip
VERDICTS: tuple[tuple[str, Kind], ...] = (
    *KEY, ("finding", "text"), ("verifier", "text"), ("verdict", "text"), ("bugs", "texts"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Table:
    """`rows` have a cell per column; None is what is not known or does not apply."""

    name: str
    columns: tuple[tuple[str, Kind], ...]
    rows: list[Row]


def tables(runs: Sequence[RunFolder], *, partial: bool = False) -> tuple[Table, Table, Table]:
    """Cases, findings and verdicts of `runs`, in their order. Holds no word of a truth and no reason of a verdict.

    Raises `RunError` for a run that is not complete, unless `partial`.
    """
    cases, findings, verdicts = (
        Table("cases", CASES, []),
        Table("findings", FINDINGS, []),
        Table("verdicts", VERDICTS, []),
    )
    for run in runs:
        loaded = load_run(run.path, partial=partial)
        cases.rows.extend(_cases(loaded, read_outcomes(run, loaded.manifest)))
        findings.rows.extend(_findings(loaded))
        verdicts.rows.extend(_verdicts(loaded))
    return cases, findings, verdicts


def _key(run: LoadedRun, case: str) -> Row:
    return run.name, run.manifest.arm, run.manifest.rep, case


def _cases(run: LoadedRun, outcomes: Iterator[Outcome]) -> Iterator[Row]:
    manifest: RunManifest = run.manifest
    for o in outcomes:
        review = run.reviews.get(o.case)
        usage = o.usage or Usage()
        matched = o.used and not o.judged_only
        yield (
            *_key(run, o.case), manifest.corpus_sha256, manifest.split, manifest.kind, o.case.endswith(TWIN),
            o.lang, o.class_, o.origin, o.published, o.status, o.reason,
            o.tainted, None if o.bugs is None else len(o.bugs), len(o.hit_bugs) if matched else None,
            len(o.findings) if o.used else None, len(o.hits) if matched else None,
            o.seconds, o.cost_usd, o.cost_source, usage.input_tokens,
            usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.turns,
            review.attempts if review else None, review.model if review else None,
            review.skill_loaded if review else None,
        )  # fmt: skip


def _findings(run: LoadedRun) -> Iterator[Row]:
    for review in run:
        matches = run.matches.get(review.case)
        counted = review.status == "ok" and not review.tainted
        for f in review.findings:
            known = None if matches is None or matches.judged_only or review.status != "ok" else matches
            evidence = known.evidence.get(f.id) if known else None
            yield (
                *_key(run, review.case), f.id, counted, f.file, f.line, f.end_line, f.severity, f.text,
                f.tool, f.rule, None if known is None else tuple(known.hits.get(f.id, ())),
                evidence.touches_fix if evidence else None, evidence.gone_when_fixed if evidence else None,
            )  # fmt: skip


def _verdicts(run: LoadedRun) -> Iterator[Row]:
    for verifier, by_case in run.verdicts.items():
        for case, judged in by_case.items():
            for f in run.reviews[case].findings:
                yield *_key(run, case), f.id, verifier, judged[f.id].verdict, judged[f.id].bugs
