"""Martian's offline benchmark as it lies in a folder: pull requests with golden comments, tools, judges.

`golden_comments/*.json`, `results/pr_labels.json`, `results/<judge>/{candidates,evaluations}.json`. There is no
diff, no place and no regex in it, only texts: what tools said, and which of that a judge took for a golden comment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_reviewbench.answers.normalise import SEVERITY_WORDS
from pytest_reviewbench.errors import FormatError, one_line
from pytest_reviewbench.imports.new_corpus import NewCase, truth_of
from pytest_reviewbench.imports.reading import as_id, as_word, expect_list, expect_object, expect_text, read_json

NO_CHANGE = "this benchmark has no diffs, only what was said of pull requests; url says where each one is"
LICENCES = ("LICENSE*", "LICENCE*", "../LICENSE*")


@dataclass(frozen=True, slots=True)
class Golden:
    """A known bug: what a person said of it."""

    text: str
    severity: str | None


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request and its golden comments, sorted by what they say."""

    url: str
    title: str | None
    project: str
    lang: str
    golden: tuple[Golden, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """What one judge says of one tool's review of one pull request.

    `findings` are all texts, sorted; `named` the golden comments that each one was taken for, by its text, with the
    judge's reason; `false` those that it took for none. The others gave way to a better match. `failed` says why
    there is nothing to count.
    """

    findings: tuple[str, ...] = ()
    named: Mapping[str, Sequence[tuple[str, str]]] | None = None
    false: frozenset[str] = frozenset()
    failed: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """The rows of one judge by tool and URL, and the sha256 of the files that they are from."""

    judge: str
    rows: Mapping[str, Mapping[str, Row]]
    files: Mapping[str, str]


def read_pull_requests(folder: Path) -> list[PullRequest]:
    """Every pull request with golden comments, by URL. Raises `FormatError`."""
    files = sorted((folder / "golden_comments").glob("*.json"))
    if not files:
        place = folder / "golden_comments"
        raise FormatError(f"{place}: has no *.json; name the folder that holds golden_comments/")
    labels = _labels(folder / "results" / "pr_labels.json")
    found: dict[str, PullRequest] = {}
    for file in files:
        for n, value in enumerate(expect_list(read_json(file)[0], f"{file}: $")):
            where = f"{file}: $[{n}]"
            entry = expect_object(value, where)
            url = expect_text(entry.get("url"), f"{where}.url")
            if url in found:
                raise FormatError(f"{where}.url: {url} stands twice")
            golden = [
                _golden(one, f"{where}.comments[{m}]")
                for m, one in enumerate(expect_list(entry.get("comments"), f"{where}.comments"))
            ]
            found[url] = PullRequest(
                url=url,
                title=entry["pr_title"] if isinstance(entry.get("pr_title"), str) else None,
                project=file.stem,
                lang=labels.get(url, "unknown"),
                golden=tuple(sorted(golden, key=lambda one: (one.text, one.severity or ""))),
            )
    return [found[url] for url in sorted(found)]


def _golden(value: Any, where: str) -> Golden:
    said = expect_object(value, where)
    severity = said.get("severity")
    return Golden(
        expect_text(said.get("comment"), f"{where}.comment"),
        SEVERITY_WORDS.get(severity.lower()) if isinstance(severity, str) else None,
    )


def _labels(path: Path) -> dict[str, str]:
    """The language of each pull request by URL; none where the file is not there."""
    if not path.exists():
        return {}
    found = {}
    for url, label in expect_object(read_json(path)[0], f"{path}: $").items():
        derived = label.get("derived") if isinstance(label, dict) else None
        found[url] = as_word(derived.get("language") if isinstance(derived, dict) else None)
    return found


def case_ids(pulls: Sequence[PullRequest]) -> dict[str, str]:
    """A neutral id for every URL, by the order of URLs."""
    return {pull.url: f"pr-{n:04}" for n, pull in enumerate(pulls, 1)}


def new_cases(folder: Path, pulls: Sequence[PullRequest]) -> list[NewCase]:
    """The pull requests as cases without a change, for verifiers alone."""
    ids, licence = case_ids(pulls), _licence(folder)
    return [
        NewCase(
            id=ids[pull.url],
            meta={
                "lang": pull.lang,
                "url": pull.url,
                "upstream": pull.project,
                "licence": licence,
                "label": pull.title,
                "no_change": NO_CHANGE,
                **({} if pull.golden else {"why_clean": "the benchmark has no golden comment on it"}),
            },
            truth=truth_of(
                [
                    {"id": bug, "bug": golden.text, "severity": golden.severity}
                    for bug, golden in bugs_of(pull).items()
                ],
                judged_only=True,
            ),
        )
        for pull in pulls
    ]


def bugs_of(pull: PullRequest) -> dict[str, Golden]:
    """The golden comments of a pull request by bug id."""
    return {f"g{n}": golden for n, golden in enumerate(pull.golden, 1)}


def _licence(folder: Path) -> str | None:
    for pattern in LICENCES:
        for path in sorted(folder.glob(pattern)):
            if path.is_file() and "MIT License" in path.read_text(encoding="utf-8", errors="replace")[:2_000]:
                return "MIT"
    return None


def judge_folders(folder: Path, only: Sequence[str] = ()) -> list[Path]:
    """The folders of the judges that left evaluations, or of those named. Raises `FormatError`."""
    found = {path.parent.name: path.parent for path in sorted((folder / "results").glob("*/evaluations.json"))}
    if missing := [name for name in only if name not in found]:
        raise FormatError(f"{folder / 'results'}: has no judge {missing[0]!r}; it has {', '.join(found) or 'none'}")
    return [found[name] for name in only or found]


def read_judged(folder: Path, pulls: Sequence[PullRequest]) -> Judged:
    """What the judge in `folder` made of every tool. Raises `FormatError`."""
    evaluations, of_evaluations = read_json(folder / "evaluations.json")
    candidates, of_candidates = read_json(folder / "candidates.json")
    files = {"evaluations.json": of_evaluations, "candidates.json": of_candidates}
    known = {pull.url: pull for pull in pulls}
    rows: dict[str, dict[str, Row]] = {}
    said = _texts(candidates, f"{folder / 'candidates.json'}: $")
    for url, tools in expect_object(evaluations, f"{folder / 'evaluations.json'}: $").items():
        where = f"{folder / 'evaluations.json'}: $.{url}"
        if url not in known:
            raise FormatError(f"{where}: no golden comments know this pull request")
        for tool, row in expect_object(tools, where).items():
            made = _row(expect_object(row, f"{where}.{tool}"), said.get((url, tool), ()), known[url], where)
            rows.setdefault(as_id(tool, where), {})[url] = made
    for _, tool in said:
        rows.setdefault(as_id(tool, str(folder)), {})
    return Judged(folder.name, dict(sorted(rows.items())), files)


def _texts(value: Any, where: str) -> dict[tuple[str, str], list[str]]:
    """What each tool said of each pull request."""
    found = {}
    for url, tools in expect_object(value, where).items():
        for tool, said in expect_object(tools, f"{where}.{url}").items():
            found[url, tool] = _each(said, "text", f"{where}.{url}.{tool}")
    return found


def _each(value: Any, key: str, where: str) -> list[str]:
    """The text under `key` of every object of a list."""
    return [
        expect_text(expect_object(one, f"{where}[{n}]").get(key), f"{where}[{n}].{key}")
        for n, one in enumerate(expect_list(value, where))
    ]


def _row(row: Mapping[str, Any], candidates: Iterable[str], pull: PullRequest, where: str) -> Row:
    """One row. A text that only the judge has (its tool's list was tidied up since) is a finding as well."""
    where = f"{where}.{row.get('tool') or 'row'}"
    errors = expect_list(row.get("errors") or [], f"{where}.errors")
    if errors or row.get("errors_count"):
        count = max(len(errors), row["errors_count"] if isinstance(row.get("errors_count"), int) else 0)
        return Row(failed=f"the benchmark has {count} errors for it" + (f": {_said(errors[0])}" if errors else ""))
    if row.get("skipped"):
        reason = row.get("reason")
        return Row(failed="the benchmark skipped it" + (f": {_said(reason)}" if reason else ""))
    golden = {one.text for one in pull.golden}
    named: dict[str, list[tuple[str, str]]] = {}
    hits = expect_list(row.get("true_positives"), f"{where}.true_positives")
    for n, hit in enumerate(hits):
        at = f"{where}.true_positives[{n}]"
        said = expect_object(hit, at)
        comment = expect_text(said.get("golden_comment"), f"{at}.golden_comment")
        if comment not in golden:
            raise FormatError(f"{at}.golden_comment: is none of the golden comments of this pull request")
        reason = said["reasoning"] if isinstance(said.get("reasoning"), str) else ""
        named.setdefault(expect_text(said.get("matched_candidate"), f"{at}.matched_candidate"), []).append(
            (comment, reason)
        )
    wrong = _each(row.get("false_positives"), "candidate", f"{where}.false_positives")
    if both := named.keys() & set(wrong):
        raise FormatError(f"{where}: {min(both)[:60]!r} is a true and a false positive")
    findings = Counter(candidates) | Counter(wrong) | Counter(dict.fromkeys(named, 1))
    warnings = [
        f"the row says {key} {row[key]} and lists {number}"
        for key, number in (("tp", len(hits)), ("fp", len(wrong)))
        if isinstance(row.get(key), int) and row[key] != number
    ]
    return Row(
        findings=tuple(sorted(findings.elements())),
        named={text: sorted(bugs) for text, bugs in sorted(named.items())},
        false=frozenset(wrong),
        warnings=tuple(warnings),
    )


def _said(value: object) -> str:
    return one_line(value if isinstance(value, str) else repr(value), 200)
