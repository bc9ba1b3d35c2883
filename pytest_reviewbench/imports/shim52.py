"""shim52's challenges: small changes written for a benchmark, with lines and keywords for what is wrong in them.

`challenges/<name>/challenge.yaml`, beside it the trees `before/` and `after/`; `benchmark-results.json` has what
was measured, without a finding.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_reviewbench.answers.normalise import SEVERITY_WORDS
from pytest_reviewbench.contain.files import files_below, read_bounded
from pytest_reviewbench.corpus.sources.diff import unified
from pytest_reviewbench.errors import FormatError
from pytest_reviewbench.imports.new_corpus import NewCase, truth_of
from pytest_reviewbench.imports.plain_yaml import read_yaml
from pytest_reviewbench.imports.reading import as_id, as_word, expect_list, expect_object, expect_text, read_json
from pytest_reviewbench.scoring.macro import macro_average

CHALLENGE = "challenge.yaml"
RESULTS = "benchmark-results.json"
TREE_LIMIT = 4 << 20
NO_TREES = "the trees before/ and after/ are not in the folder that was imported"
SAME_TREES = "the trees before/ and after/ are the same"


@dataclass(frozen=True, slots=True)
class Macro:
    """The macro averages of one tool: ours over its rows by challenge, and what was published."""

    tool: str
    challenges: int
    ours: Mapping[str, float | None]
    published: Mapping[str, float]


def read_challenges(folder: Path) -> list[NewCase]:
    """Every challenge of `folder` as a case, in order of their ids. Raises `FormatError` and `CorpusError`."""
    files = [
        path for path in sorted((folder / "challenges").glob(f"*/{CHALLENGE}")) if path.parent.name[0] not in "_."
    ]
    if not files:
        raise FormatError(f"{folder / 'challenges'}: has no */{CHALLENGE}; name the folder that holds challenges/")
    found: dict[str, tuple[Path, Mapping[str, Any]]] = {}
    for path in files:
        challenge = expect_object(read_yaml(path), f"{path}: $")
        name = expect_text(challenge.get("id"), f"{path}: $.id")
        if name in found:
            raise FormatError(f"{path}: $.id: {name[:80]!r} is that of {found[name][0].parent.name} as well")
        found[name] = path, challenge
    return [_case(f"ch-{n:04}", *found[name]) for n, name in enumerate(sorted(found), 1)]


def _case(case: str, path: Path, challenge: Mapping[str, Any]) -> NewCase:
    issues = expect_list(challenge.get("issues"), f"{path}: $.issues")
    bugs = [_bug(issue, f"{path}: $.issues[{n}]") for n, issue in enumerate(issues)]
    judged_only = any("match" not in bug for bug in bugs)
    if judged_only:
        bugs = [{key: value for key, value in bug.items() if key != "match"} for bug in bugs]
    before, after = _tree(path.parent / "before"), _tree(path.parent / "after")
    patch, why = b"", NO_TREES
    if before or after:
        patch, why = unified((p, before.get(p), after.get(p)) for p in sorted({*before, *after})), SAME_TREES
    meta = {
        "lang": as_word(challenge.get("language")),
        "label": challenge["id"],
        "upstream": "shim52/ai-code-review-bench",
        **({"why_clean": "the challenge names no issue"} if not bugs else {}),
        **({} if patch else {"no_change": why}),
    }
    truth = truth_of(bugs, judged_only=judged_only)
    return NewCase(case, meta, truth, patch or None, after if patch else {})


def _bug(value: Any, where: str) -> dict[str, Any]:
    issue = expect_object(value, where)
    said = [text for key in ("title", "description") if isinstance(text := issue.get(key), str) and text]
    bug: dict[str, Any] = {
        "id": as_id(expect_text(issue.get("id"), f"{where}.id"), f"{where}.id"),
        "bug": ". ".join(said) or None,
        "severity": SEVERITY_WORDS.get(str(issue.get("severity")).lower()),
        "category": issue.get("category") if isinstance(issue.get("category"), str) else None,
        "file": expect_text(issue.get("file"), f"{where}.file"),
        "line": _line(issue.get("line_start"), f"{where}.line_start"),
        "end_line": _line(issue.get("line_end"), f"{where}.line_end"),
    }
    if bug["line"] is None or (bug["end_line"] or 0) < bug["line"]:
        bug["end_line"] = None
    words = [
        expect_text(word, f"{where}.keywords[{n}]")
        for n, word in enumerate(expect_list(issue.get("keywords") or [], f"{where}.keywords"))
    ]
    return bug | ({"match": keyword_match(words)} if words else {})


def keyword_match(words: Sequence[str]) -> str:
    """A regex for a text that has any of the keywords, as that benchmark looks for them: anywhere, in any case."""
    return "|".join(re.escape(" ".join(word.split())) for word in sorted(set(words)))


def _line(value: Any, where: str) -> int | None:
    if value in (None, "", "null", "~"):
        return None
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,7}", value) and int(value):
        return int(value)
    raise FormatError(f"{where}: expected the number of a line")


def _tree(folder: Path) -> dict[str, bytes]:
    if not folder.is_dir():
        return {}
    return {path: read_bounded(folder / path, TREE_LIMIT) for path in files_below(folder)}


def read_macros(folder: Path) -> list[Macro]:
    """Macro averages of the published rows by `macro_average`, per tool; none where the file is not there."""
    path = folder / RESULTS
    if not path.exists():
        return []
    results = expect_object(read_json(path)[0], f"{path}: $")
    rows: dict[str, dict[str, list[dict[str, float]]]] = {}
    for n, row in enumerate(expect_list(results.get("results"), f"{path}: $.results")):
        where = f"{path}: $.results[{n}]"
        said = expect_object(row, where)
        tool, challenge = (expect_text(said.get(key), f"{where}.{key}") for key in ("tool", "challenge"))
        rows.setdefault(tool, {}).setdefault(challenge, []).append(
            _rates(said.get("metrics"), "", f"{where}.metrics")
        )
    found = []
    for n, overall in enumerate(expect_list(results.get("overall_scores"), f"{path}: $.overall_scores")):
        where = f"{path}: $.overall_scores[{n}]"
        said = expect_object(overall, where)
        tool = expect_text(said.get("tool"), f"{where}.tool")
        of_tool = rows.get(tool, {})
        ours = {
            rate: macro_average([row[rate] for row in reps if rate in row] for reps in of_tool.values())
            for rate in RATES
        }
        found.append(Macro(tool, len(of_tool), ours, _rates(said.get("metrics"), "avg_", f"{where}.metrics")))
    return sorted(found, key=lambda one: one.tool)


RATES = ("precision", "recall", "f1_score")


def _rates(value: Any, prefix: str, where: str) -> dict[str, float]:
    said = expect_object(value, where)
    return {
        rate: float(number)
        for rate in RATES
        if isinstance(number := said.get(prefix + rate), int | float) and not isinstance(number, bool)
    }
