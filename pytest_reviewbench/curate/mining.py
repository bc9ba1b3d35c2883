"""Commits that look like fixes of bugs, as candidates for somebody to read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.corpus.index import OPEN, safe_path
from pytest_reviewbench.corpus.sources.git import explained
from pytest_reviewbench.corpus.sources.git_calls import Git, new_repository
from pytest_reviewbench.corpus.sources.registry import Artefact, Progress, Unreachable
from pytest_reviewbench.curate.artefacts import CALL_SECONDS
from pytest_reviewbench.curate.blame import Origin, origin, parent_of
from pytest_reviewbench.curate.documents import ASKED
from pytest_reviewbench.curate.suggestions import OTHER, is_code, language_of
from pytest_reviewbench.errors import one_line

HEAD = "refs/mined/head"
PAGE = 500
"""Commits that are looked at in one call."""

MOST_LINES, MOST_FILES = 40, 3
"""Of code that a fix may change outside of tests: more is rarely one bug."""

MOST_SHOWN = 300
"""Lines that a reviewer may have to read in the change that brought the bug in."""

FIXES = re.compile(
    r"\b(fix(e[sd]|ing)?|bugs?|bugfix|regressions?|crash(e[sd]|ing)?|incorrect(ly)?|wrong(ly)?|broken"
    r"|off[- ]by[- ]one|leak(s|ed|ing)?|overflows?|deadlocks?|races?|infinite loop"
    r"|hangs?|corrupt\w*|CVE-\d+-\d+)\b",
    re.IGNORECASE,
)
NO_FIXES = re.compile(
    r"^(fixup!|squash!|(revert|merge|bump|release)\b)|^(docs?|tests?|ci|chore|style|build|refactor)(\(.*?\))?!?:"
    r"|\b(typos?|spelling|lint\w*|flak[ey]\w*|docstrings?|comments?|readme|changelog|formatting|whitespace|mypy"
    r"|type hints?|annotations?|warnings?|ci|tests?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit with one parent. `changes` are lines added and removed by path, of files that are text."""

    sha: str
    parent: str
    date: str
    subject: str
    changes: Mapping[str, tuple[int, int]]


def mine(
    url: str, folder: Path, children: Children, *, since: str | None, limit: int, progress: Progress
) -> list[dict[str, Any]]:
    """Up to `limit` candidates from the default branch of the repository `url`, the latest fix first.

    The history is fetched into the empty folder `folder`: whatever the repository holds or is configured to do,
    only what git stores is read. `since` is a day (ISO). Raises `SourceError`.
    """
    whole = Artefact("git", url, "HEAD", "HEAD", "0" * 64)
    git = new_repository(folder, children)
    done = git.fetch(url, [f"+HEAD:{HEAD}"], depth=None, timeout=CALL_SECONDS, environ=os.environ)
    if done.timed_out:
        raise Unreachable(whole, f"no end after {CALL_SECONDS:g} s")
    if done.exit_code:
        raise explained([whole], done.stderr.decode("utf-8", "replace"))
    found: list[dict[str, Any]] = []
    for seen, commit in enumerate(_commits(git, since)):
        progress(len(found), limit, f"{seen + 1} commits read")
        if len(found) == limit:
            break
        files = fixed_files(commit)
        if files:
            found.append(_candidate(git, url, commit, files))
    return found


def fixed_files(commit: Commit) -> list[str]:
    """The files of code that a fix of one bug would change; none when `commit` does not look like one."""
    if not FIXES.search(commit.subject) or NO_FIXES.search(commit.subject):
        return []
    code = {
        path: lines
        for path, lines in commit.changes.items()
        if is_code(path) and safe_path(path) and "." in path and language_of([path]) != OTHER
    }
    small = 0 < sum(added + removed for added, removed in code.values()) <= MOST_LINES
    return sorted(code) if small and len(code) <= MOST_FILES else []


def _commits(git: Git, since: str | None) -> Iterator[Commit]:
    """Commits with one parent, the latest first. NUL separates what no message can hold."""
    skip = 0
    while True:
        words = [
            "log", "--no-merges", "--min-parents=1", f"--max-count={PAGE}", f"--skip={skip}", "--no-ext-diff",
            "--no-textconv", "--no-renames", "--no-color", "--numstat", "-z",
            # Nothing between two NULs is empty: the subject may be, and has a sign before it.
            "--format=%x00%x00%H%x00%P%x00%cs%x00=%s",
            *([f"--since={since}T00:00:00"] if since else []), HEAD, "--",
        ]  # fmt: skip
        pieces = git.read(*words).split(b"\0\0")
        page = [piece for piece in pieces if piece.strip(b"\0\n")]
        yield from filter(None, map(_commit, page))
        if len(page) < PAGE:
            return
        skip += PAGE


def _commit(raw: bytes) -> Commit | None:
    """A piece of the log: id, parents, date and subject, then `added TAB removed TAB path` for each file."""
    sha, parent, date, subject, *rest = raw.strip(b"\0\n").split(b"\0")
    if b" " in parent:
        return None
    changes = {}
    for line in rest:
        added, _, more = line.lstrip(b"\n").partition(b"\t")
        removed, _, path = more.partition(b"\t")
        if path and added.isdigit() and removed.isdigit():
            changes[path.decode("utf-8", "surrogateescape")] = (int(added), int(removed))
    text = one_line(subject[1:].decode("utf-8", "replace"), 200)
    return Commit(sha.decode(), parent.decode(), date.decode("ascii", "replace"), text, changes)


def _candidate(git: Git, url: str, commit: Commit, files: list[str]) -> dict[str, Any]:
    found = origin(git, commit.parent, commit.sha, files)
    before = parent_of(git, found.commit) if found is not None else None
    shown = 0
    if found is not None and before is not None:
        shown = _size(git, before, found.commit, files)
    intro = before is not None and 0 < shown <= MOST_SHOWN
    lang = language_of(files)
    return {
        "id": commit.sha[:12],
        "ecosystem": "git",
        "url": url,
        "lang": lang,
        "licence": _asked("licence"),
        "upstream_url": url if not url.startswith("file:") else _asked("upstream"),
        "buggy": {"commit": found.commit if found is not None and intro else commit.parent},
        "fixed": {"commit": commit.sha},
        **({"before": {"commit": before}} if intro else {}),
        "files": files,
        "primary_file": max(files, key=lambda path: (sum(commit.changes[path]), path)),
        "mode": "intro" if intro else "reverse-fix",
        "published": commit.date,
        **{name: _asked(name) for name in ("symptom", "bug", "example", "category")},
        "match": OPEN,
        "severity": OPEN,
        "reference": f"commit {commit.sha}",
        "proof": None,
        "proof_needs": [],
        "diff_lines": sum(sum(commit.changes[path]) for path in files),
        "notes": {"subject": commit.subject, **_blamed(found, shown)},
    }


def _blamed(found: Origin | None, shown: int) -> dict[str, Any]:
    if found is None:
        return {}
    blamed = {"commit": found.commit, "lines": found.lines, "of": found.of}
    return {"blamed": blamed | ({"intro_diff_lines": shown} if shown else {})}


def _size(git: Git, old: str, new: str, files: list[str]) -> int:
    """Lines that the change from `old` to `new` adds to and removes from `files`."""
    words = ["diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--numstat", "-z", old, new, "--", *files]
    numbers = [line.split(b"\t")[:2] for line in git.read(*words).split(b"\0") if line]
    return sum(int(number) for pair in numbers for number in pair if number.isdigit())


def _asked(name: str) -> str:
    return f"{OPEN}: {ASKED[name]}"
