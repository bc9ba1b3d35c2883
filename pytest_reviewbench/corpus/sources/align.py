"""Where two sequences of lines differ."""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_reviewbench.errors import SourceError

MAX_COST = 8_000_000
"""Pairs of equal lines that the slow part may look at: some seconds of work."""


@dataclass(frozen=True, slots=True)
class Change:
    """Lines `a0:a1` of the old side became lines `b0:b1` of the new side (from 0, ends exclusive)."""

    a0: int
    a1: int
    b0: int
    b1: int


def changes(a: Sequence[bytes], b: Sequence[bytes]) -> list[Change]:
    """The maximal differing regions of `a` and `b`, in order; deterministic.

    Lines that stand once on both sides are tied first (patience diff): it keeps whole functions together and
    needs seconds where difflib alone needs minutes. Raises `SourceError` for two sides that would still take
    too long.
    """
    found: list[Change] = []
    cost = 0
    todo = [(0, len(a), 0, len(b))]
    while todo:
        a0, a1, b0, b1 = _stripped(a, b, *todo.pop())
        if a0 == a1 or b0 == b1:
            if a0 < a1 or b0 < b1:
                found.append(Change(a0, a1, b0, b1))
            continue
        anchors = _anchors(a, b, a0, a1, b0, b1)
        if anchors:
            for i, j in [*anchors, (a1, b1)]:
                todo.append((a0, i, b0, j))
                a0, b0 = i + 1, j + 1
            continue
        theirs = Counter(b[b0:b1])
        cost += sum(count * theirs[line] for line, count in Counter(a[a0:a1]).items() if line in theirs)
        if cost > MAX_COST:
            raise SourceError(f"the two versions are too large and too different to compare ({len(a)} lines)")
        matcher = difflib.SequenceMatcher(None, a[a0:a1], b[b0:b1], autojunk=False)
        found += [
            Change(a0 + i0, a0 + i1, b0 + j0, b0 + j1)
            for tag, i0, i1, j0, j1 in matcher.get_opcodes()
            if tag != "equal"
        ]
    return _merged(sorted(found, key=lambda c: (c.a0, c.b0)))


def _stripped(
    a: Sequence[bytes], b: Sequence[bytes], a0: int, a1: int, b0: int, b1: int
) -> tuple[int, int, int, int]:
    while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
        a0, b0 = a0 + 1, b0 + 1
    while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
        a1, b1 = a1 - 1, b1 - 1
    return a0, a1, b0, b1


def _anchors(a: Sequence[bytes], b: Sequence[bytes], a0: int, a1: int, b0: int, b1: int) -> list[tuple[int, int]]:
    """Pairs of lines that stand once on both sides, in one order: the longest increasing chain of them."""
    once = {line for line, count in Counter(b[b0:b1]).items() if count == 1}
    once &= {line for line, count in Counter(a[a0:a1]).items() if count == 1}
    where = {b[j]: j for j in range(b0, b1) if b[j] in once}
    pairs = [(i, where[a[i]]) for i in range(a0, a1) if a[i] in once]
    ends: list[int] = []
    chain: list[int] = []
    before: list[int] = []
    for n, (_, j) in enumerate(pairs):
        k = bisect_left(ends, j)
        before.append(chain[k - 1] if k else -1)
        if k == len(ends):
            ends.append(j)
            chain.append(n)
        else:
            ends[k], chain[k] = j, n
    found = []
    n = chain[-1] if chain else -1
    while n >= 0:
        found.append(pairs[n])
        n = before[n]
    return found[::-1]


def _merged(found: list[Change]) -> list[Change]:
    merged: list[Change] = []
    for change in found:
        if merged and merged[-1].a1 == change.a0 and merged[-1].b1 == change.b0:
            merged[-1] = Change(merged[-1].a0, change.a1, merged[-1].b0, change.b1)
        else:
            merged.append(change)
    return merged
