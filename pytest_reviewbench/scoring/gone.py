"""Evidence `gone_when_fixed`: is a finding said of the fixed version as well?

Two findings are the same when tool, rule, file and text are, numbers of lines in the text aside, and the line of
one is where the diff puts the line of the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pytest_reviewbench.model import Finding

Region = tuple[int, int, int, int]
"""Lines a0:a1 of the shown version became b0:b1 of the fixed one (from 0, ends exclusive; in order)."""

LINE = re.compile(r"\blines? \d+(?:(?:-| to | and |, )\d+)*", re.IGNORECASE)


def gone_when_fixed(
    findings: Iterable[Finding], on_fixed: Iterable[Finding], changed: Mapping[str, Sequence[Region] | None]
) -> dict[str, bool | None]:
    """Per finding (by id): True when it is not said of the fixed version, False when it still is.

    `changed` says per file how the fixed version differs; None: it has no such file; a file that is not named is
    the same in both. Null where it cannot be told: some of several equal findings on one changed region are gone.
    """
    places: dict[tuple[object, ...], list[str]] = {}
    gone: dict[str, bool | None] = {}
    for finding in findings:
        regions = changed.get(finding.file or "", ())
        if regions is None:
            gone[finding.id] = True
        else:
            place = _image(finding.line, regions)
            places.setdefault((*_said(finding), *place), []).append(finding.id)
    said: dict[tuple[object, ...], list[int | None]] = {}
    for other in on_fixed:
        said.setdefault(_said(other), []).append(other.line)
    for (*words, first, last), ids in places.items():
        still = sum(_within(line, first, last) for line in said.get(tuple(words), ()))
        verdict = True if still == 0 else False if still >= len(ids) else None
        gone |= dict.fromkeys(ids, verdict)
    return gone


def _said(finding: Finding) -> tuple[object, ...]:
    text = " ".join(LINE.sub("line", finding.text).split())
    return finding.tool, finding.rule, finding.file, text


def _image(line: int | None, regions: Sequence[Region]) -> tuple[int | None, int | None]:
    """First and last line (from 1) of the fixed version where the finding would stand; last < first: nowhere."""
    if line is None:
        return None, None
    shift = 0
    for a0, a1, b0, b1 in regions:
        if line <= a0:
            break
        if line <= a1:
            return b0 + 1, b1
        shift = b1 - a1
    return line + shift, line + shift


def _within(line: int | None, first: object, last: object) -> bool:
    if line is None or not isinstance(first, int) or not isinstance(last, int):
        return line is None and first is None
    return first <= line <= last
