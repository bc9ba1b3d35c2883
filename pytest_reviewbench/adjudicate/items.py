"""What a person is asked about: the distinct findings of some runs, without a word of who reported them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_reviewbench.contain.files import read_bounded
from pytest_reviewbench.corpus.shown import Shown
from pytest_reviewbench.errors import CorpusError
from pytest_reviewbench.model import TWIN, Bug, Case, Finding, Review
from pytest_reviewbench.runs.folder import RunFolder
from pytest_reviewbench.verify.prompt import FINDING_LIMIT, distinct, judged_id

AROUND = 8
"""Lines shown on each side of a finding's."""

FILE_LIMIT = 16 << 20
CODE_LIMIT = 8_000
PATCH_LIMIT = 200_000
"""Characters shown of an excerpt and of a change."""


@dataclass(frozen=True, slots=True)
class Item:
    """A finding to be labelled. `code` are the numbered lines around it, `patch` is the change of its case."""

    id: str
    case: str
    file: str | None
    line: int | None
    end_line: int | None
    text: str
    code: str
    patch: str
    bugs: tuple[Bug, ...]


def item_id(corpus_sha256: str, case: str, finding: str) -> str:
    """The neutral name of a distinct finding; the same for whoever reported it."""
    return hashlib.sha256(f"item\0{corpus_sha256}\0{case}\0{judged_id(finding)}".encode()).hexdigest()[:12]


def labelled_reviews(run: RunFolder) -> Iterator[Review]:
    """The reviews of `run` whose findings count: answered, not tainted, of no twin."""
    for case in run.manifest().cases:
        review = None if case.endswith(TWIN) else run.review(case)
        if review is not None and review.status == "ok" and not review.tainted:
            yield review


def build_items(
    runs: Sequence[RunFolder], cases: Mapping[str, Case], show: Callable[[Case], Shown], *, seed: int, sample: int
) -> list[Item]:
    """An item for each distinct finding of `runs`, or for `sample` of them (0: all), drawn by `seed`.

    Cases, and findings within a case, come in an order that `seed` alone decides. Raises `CorpusError` for a case
    that cannot be opened.
    """
    found: dict[str, tuple[str, Finding]] = {}
    for run in runs:
        sha256 = run.manifest().corpus_sha256
        for review in labelled_reviews(run):
            for finding in distinct(review.findings).values():
                found.setdefault(item_id(sha256, review.case, finding.id), (review.case, finding))
    chooser = random.Random(seed)  # noqa: S311 (an order, no secret)
    names = sorted(found)
    chooser.shuffle(names)
    names = names[: sample or None]
    order = sorted({found[name][0] for name in names})
    chooser.shuffle(order)
    items = []
    for case in order:
        if case not in cases:
            raise CorpusError(f"case {case}: is sealed or not there; whoever labels it needs to see its truth")
        shown = show(cases[case])
        items += [_item(name, case, found[name][1], shown) for name in names if found[name][0] == case]
    return items


def _item(name: str, case: str, finding: Finding, shown: Shown) -> Item:
    return Item(
        id=name,
        case=case,
        file=finding.file,
        line=finding.line,
        end_line=finding.end_line,
        text=finding.text[:FINDING_LIMIT],
        code=_excerpt(finding, shown),
        patch=shown.patch_bytes[: 4 * PATCH_LIMIT].decode("utf-8", "replace")[:PATCH_LIMIT],
        bugs=shown.bugs,
    )


def _excerpt(finding: Finding, shown: Shown) -> str:
    """The lines around the finding, numbered, its own marked; empty where the file is not known."""
    file = (shown.tree or {}).get(finding.file or "")
    if file is None or finding.line is None or file.is_symlink():
        return ""
    lines = read_bounded(file, FILE_LIMIT).decode("utf-8", "replace").split("\n")
    last = max(finding.line, finding.end_line or finding.line)
    first = max(1, finding.line - AROUND)
    numbered = enumerate(lines[first - 1 : last + AROUND], first)
    text = "\n".join(f"{'>' if finding.line <= n <= last else ' '}{n:6} {line}" for n, line in numbered)
    return text[:CODE_LIMIT]
