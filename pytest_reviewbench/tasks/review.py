"""The kind `review`: here is a change, what is wrong with it?"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from pytest_reviewbench.contain.sandbox import View
from pytest_reviewbench.contain.workspace import open_workspace
from pytest_reviewbench.corpus.patch import Patch, overlaps
from pytest_reviewbench.corpus.shown import Shown
from pytest_reviewbench.model import BugFact, Case, Evidence, Finding, Matches, Review, Scope
from pytest_reviewbench.scoring.matcher import Search, match_findings


@dataclass(frozen=True, slots=True)
class Earlier:
    """The review that an arm builds on: its record and its raw answer."""

    review: Review
    raw: str


@dataclass(frozen=True, slots=True)
class Question:
    """All that an arm learns of a case; deliberately not its id.

    `patch` is a file; `tree` the folder with the files as the change leaves them (None: not known); `files`
    the paths in it that the change touches and that exist there; `home` an empty private folder; `output` a
    path in it that may be written; `view` what of all this the program that answers is to see. `set_aside` is
    what the tree lacks because it would steer a reviewer, and `withheld` the changed files among it.
    `earlier` is the same case as the arm's base has reviewed it (None: the arm has no base).
    """

    lang: str
    files: tuple[str, ...]
    patch: Path
    tree: Path | None
    home: Path
    output: Path
    view: View = field(default_factory=View)
    set_aside: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    earlier: Earlier | None = None


@contextlib.contextmanager
def ask(lang: str, shown: Shown, within: Path | None = None, earlier: Earlier | None = None) -> Iterator[Question]:
    """The question about a change, laid out in a workspace of its own (in `within`) that is gone afterwards."""
    with open_workspace(shown.patch_bytes, shown.tree, shown.patch.files, within) as place:
        present = sorted(file for file in shown.patch.files if place.tree and (place.tree / file).is_file())
        yield Question(
            lang=lang,
            files=tuple(present),
            patch=place.patch,
            tree=place.tree,
            home=place.home,
            output=place.output,
            view=View(readable=(place.root,), writable=(place.home,)),
            set_aside=place.set_aside,
            withheld=place.withheld,
            earlier=earlier,
        )


def in_scope(findings: Sequence[Finding], patch: Patch, scope: Scope) -> list[Finding]:
    """The findings that count for an arm: all of them, or those within 3 lines of a change."""
    if scope == "file":
        return list(findings)
    return [f for f in findings if patch.near(f.file, f.line, f.end_line)]


def grade(case: Case, shown: Shown, findings: Sequence[Finding], search: Search) -> Matches:
    """What the strict matcher and the evidence say of `findings`. No word of the truth is in the result.

    Raises `CorpusError` when a regex of the case takes too long on one of them.
    """
    return msgspec.structs.replace(
        ungraded(case),
        hits=match_findings(findings, shown.bugs, shown.patch.files, search),
        evidence={f.id: Evidence(touches_fix=_touches_fix(f, shown)) for f in findings},
    )


def ungraded(case: Case) -> Matches:
    """The facts of a case for a review that has no findings to grade."""
    return Matches(
        case=case.id,
        lang=case.meta.lang,
        class_=case.meta.class_,
        matcher_version=case.truth.matcher_version,
        bugs=tuple(BugFact(id=bug.id or "", severity=bug.severity) for bug in case.truth.bugs),
        hits={},
        evidence={},
        origin=_origin(case),
        published=case.meta.published,
        judged_only=case.truth.judged_only,
    )


def _origin(case: Case) -> str | None:
    """Cases of one package or repository are alike: they must not count as independent where that matters."""
    source = case.meta.source
    return f"{source.ecosystem}:{source.origin}" if source is not None else case.meta.upstream or case.meta.url


def _touches_fix(finding: Finding, shown: Shown) -> bool | None:
    """Does the finding's place overlap lines that the fix changes? None: the fix or the place is not known."""
    if shown.fix_places is None or finding.file is None or finding.line is None:
        return None
    return overlaps(shown.fix_places.get(finding.file, ()), finding.line, finding.end_line)
