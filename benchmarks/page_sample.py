"""A benchmark that never was: a corpus and finished runs of it, for the page to show. All text is made up here."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pytest_reviewbench.corpus.digest import corpus_sha256
from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.corpus.loaded import Corpus
from pytest_reviewbench.corpus.shown import show
from pytest_reviewbench.model import (
    BugFact,
    Error,
    Evidence,
    Finding,
    Matches,
    Review,
    RunManifest,
    Severity,
    Usage,
    Verdict,
    Verdicts,
    VerdictWord,
)
from pytest_reviewbench.report.page.telling import Book
from pytest_reviewbench.runs.folder import RunFolder, create_run

ARMS = {
    "tools": (0.2, 0.5, 0.0),
    "plain": (0.42, 2.4, 0.031),
    "perun": (0.55, 2.0, 0.052),
    "perun-gap": (0.63, 2.9, 0.094),
    "plain-small": (0.31, 3.1, 0.006),
    "house-linter": (0.26, 1.2, None),
}
"""Of each arm the chance to find a bug, further findings per case, and the USD of a review."""

LANGUAGES = (("python", "py", "py"), ("javascript", "js", "js"), ("shell", "sh", "sh"))
MECHANISMS = (
    (
        "boundary",
        "The loop reads one element past the end of the window.",
        "off by one: the last index is past the end",
    ),
    (
        "state",
        "The cache keeps an entry whose source was removed.",
        "the stale cache entry is never dropped after removal",
    ),
    ("error-path", "A failed write leaves the lock held.", "the lock is not released when the write fails"),
    (
        "concurrency",
        "Two callers may both see the flag unset and start twice.",
        "check-then-act race on the started flag",
    ),
    (
        "encoding",
        "Bytes are decoded with the locale's encoding.",
        "decoding depends on the locale instead of UTF-8",
    ),
)
CHATTER = (
    "The name `value` says little; consider one that says what it holds.",
    "This branch has no test. A table-driven test would cover both sides.",
    "The time-out is fixed at 30 s; a slow disk makes this fail although nothing is wrong.",
    "The comment contradicts the code: it says inclusive, and the range is half open.",
)
BUG_LINE = 14
READ = "Read in the file: the range is as it should be."
SAID = "I read the change and the file around it."
WORDS: tuple[VerdictWord, ...] = ("not_a_bug", "real", "unverifiable", "not_a_bug")
SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low")


def make_sample(
    folder: Path, cases: int = 100, *, arms: Sequence[str] = tuple(ARMS), seed: int = 7
) -> list[RunFolder]:
    """A corpus in `folder`/corpus and a finished run per arm in `folder`/runs; the same for the same seed."""
    chance = random.Random(seed)
    corpus = folder / "corpus"
    ids = [f"{LANGUAGES[n % 3][1]}-{n + 1:04}" for n in range(cases)]
    for n, case in enumerate(ids):
        _write_case(corpus, case, n)
    entries = [{"id": case, "split": "train" if n % 3 == 0 else "test"} for n, case in enumerate(ids)]
    (corpus / "manifest.json").write_text(json.dumps(entries))
    identity = corpus_sha256(load_corpus(corpus, None))
    return [_run(folder / "runs", arm, ids, identity, chance) for arm in arms]


def book(folder: Path) -> Book:
    """The corpus of `make_sample`."""
    loaded: Corpus = load_corpus(folder / "corpus", None)
    return Book(loaded, lambda case: show(case, None))


def _write_case(corpus: Path, case: str, n: int) -> None:
    lang, _, ending = LANGUAGES[n % 3]
    class_, bug, example = MECHANISMS[n % 5]
    home = corpus / case
    home.mkdir(parents=True)
    file = f"src/store/window_{n:03}.{ending}"
    mark = "//" if ending == "js" else "#"
    before = [f"{mark} part {n} of the store", *(f"step_{k} = prepare(items, {k})" for k in range(2, 24))]
    after = list(before)
    after[BUG_LINE - 1] = f"total = total + items[size - {n % 7}]"
    after.insert(18, "flush(total)")
    patch = [
        f"diff --git a/{file} b/{file}",
        f"--- a/{file}",
        f"+++ b/{file}",
        f"@@ -8,16 +8,17 @@ def window_{n}(items):",
    ]
    for k in range(8, 24):
        line = before[k - 1]
        if k == BUG_LINE:
            patch += [f"-{line}", f"+{after[BUG_LINE - 1]}"]
        elif k == 19:
            patch += ["+flush(total)", f" {line}"]
        else:
            patch.append(f" {line}")
    (home / "change.patch").write_text("\n".join(patch) + "\n")
    bugs: list[dict[str, Any]] = (
        []
        if n % 8 == 5
        else [
            {
                "id": "b1",
                "file": file,
                "bug": bug,
                "match": example.split(":")[0].split(" the ")[0],
                "example": example,
                "severity": SEVERITIES[n % 4],
                "category": class_,
                "line": BUG_LINE,
                "end_line": BUG_LINE,
            }
        ]
    )
    (home / "ground-truth.json").write_text(json.dumps({"matcher_version": 1, "bugs": bugs}))
    (home / "meta.json").write_text(json.dumps({"lang": lang, "licence": "MIT", "class": class_}))


def _run(runs: Path, arm: str, ids: Sequence[str], identity: str, chance: random.Random) -> RunFolder:
    run = create_run(
        runs,
        arm,
        1,
        lambda started: RunManifest(
            arm=arm,
            rep=1,
            family="command",
            settings={},
            versions={},
            environment={},
            corpus_sha256=identity,
            matcher_versions=dict.fromkeys(ids, 1),
            split="all",
            cases=tuple(sorted(ids)),
            scope="file",
            jobs=4,
            timeout=600,
            started=started,
            sandbox="bwrap",
        ),
    )
    for n, case in enumerate(ids):
        _review(run, arm, case, n, identity, chance)
    run.finish()
    return run


def _review(run: RunFolder, arm: str, case: str, n: int, identity: str, chance: random.Random) -> None:
    rate, noise, cost = ARMS[arm]
    lang, _, ending = LANGUAGES[n % 3]
    class_, bug, example = MECHANISMS[n % 5]
    file = f"src/store/window_{n:03}.{ending}"
    clean = n % 8 == 5
    ease = (0.25, 0.0, -0.15, 0.1, -0.1)[n % 5]
    found: list[Finding] = []
    if not clean and chance.random() < rate + ease:
        text = f"{example}. {bug} Callers then act on a wrong total."
        found.append(Finding(id="f" * 11 + "0", text=text, file=file, line=BUG_LINE, severity="high"))
    for k in range(int(noise * chance.random() * (0.6 if clean else 1.4))):
        placed = chance.random() < 0.8
        found.append(
            Finding(
                id=f"{k:012x}",
                text=CHATTER[(n + k) % 4],
                file=file,
                line=chance.randint(8, 23) if placed else None,
                severity=("low", "medium")[k % 2],
                tool="ruff" if arm == "tools" else None,
                rule="B008" if arm == "tools" else None,
            )
        )
    failed = chance.random() < 0.03
    hits = {f.id: ("b1",) for f in found if f.id.startswith("f")}
    review = Review(
        case=case,
        arm=arm,
        rep=1,
        status="error" if failed else "ok",
        findings=() if failed else tuple(found),
        error=Error(kind="time-out", message="the reviewer was ended after 600 s") if failed else None,
        usage=None if cost is None else Usage(input_tokens=round(4e5 * cost) + n, output_tokens=1_200, turns=9),
        cost_usd=None if cost is None else round(cost * (0.5 + chance.random()), 6),
        cost_source="reported" if cost else "none",
        seconds=round(2 + 900 * (cost or 0.001) * (0.5 + chance.random()), 1),
        model=None if not cost else "some-model-1",
    )
    matches = Matches(
        case=case,
        lang=lang,
        class_=class_,
        matcher_version=1,
        bugs=() if clean else (BugFact(id="b1", severity=SEVERITIES[n % 4]),),
        hits={} if failed else hits,
        evidence={f.id: Evidence(touches_fix=f.line == BUG_LINE) for f in review.findings},
        published=("2023-04-01", "2025-02-01", "2026-03-01")[n % 3],
    )
    steps = [
        {"type": "assistant", "message": {"content": [{"type": "text", "text": SAID}]}},
        {"type": "tool_use", "name": "Read", "input": {"file_path": file}},
        {"type": "result", "result": json.dumps([f.text for f in review.findings])},
    ]
    run.write_review(review, matches, "[]", "\n".join(map(json.dumps, steps)) if cost else "")
    if failed:
        return
    said = {
        f.id: Verdict(verdict="gt_same", bugs=("b1",), reason=f"It names the mechanism: {bug}")
        if f.id in hits
        else Verdict(verdict=WORDS[(n + k) % 4], reason=READ)
        for k, f in enumerate(review.findings)
    }
    run.write_verdicts(
        Verdicts(
            case=case,
            verifier="judge-claude",
            verdicts=said,
            corpus_sha256=identity,
            model="judge-2",
            session=f"s{n}",
        )
    )
