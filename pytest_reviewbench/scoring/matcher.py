"""The strict matcher: the rule that ties a finding to a known bug. Place by path, mechanism by regex."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterable

from pytest_reviewbench.errors import CorpusError
from pytest_reviewbench.model import Bug, Finding

TEXT_LIMIT = 20_000
"""Characters of a finding's text that the regex sees, after white space is collapsed."""

Search = Callable[[str, str], bool]
"""`search(pattern, text)`: does `re.search(pattern, text, re.IGNORECASE)` find anything? Bounded in time."""


def match_findings(
    findings: Iterable[Finding], bugs: Collection[Bug], files: Collection[str], search: Search
) -> dict[str, tuple[str, ...]]:
    """Which findings name which bugs: {finding id: sorted bug ids}, findings without a hit left out.

    `files` are the paths of the change; a bare file name that is one of them is a path, not a basename.
    The result does not depend on the order of either argument.
    """
    hits = {}
    for finding in findings:
        text = collapse(finding.text)
        placed = [bug for bug in bugs if _same_place(finding.file, bug.file, files)]
        if named := [bug.id or "" for bug in placed if _names(bug, text, search)]:
            hits[finding.id] = tuple(sorted(named))
    return hits


def _names(bug: Bug, text: str, search: Search) -> bool:
    try:
        return bug.match is not None and search(bug.match, text)
    except CorpusError as e:
        raise CorpusError(f"the match of bug {bug.id}: {e}") from None


def collapse(text: str) -> str:
    """`text` as the regexes see it: runs of white space as one space, the first `TEXT_LIMIT` characters."""
    return " ".join(text[: TEXT_LIMIT * 4].split())[:TEXT_LIMIT]


def _same_place(found: str | None, known: str | None, files: Collection[str]) -> bool:
    if known is None:  # the original format lets a bug without a file stand on its text alone
        return True
    if found is None:
        return False
    if found == known:
        return True
    bare = "/" not in found and found not in files
    return bare and posixpath.basename(known) == found
