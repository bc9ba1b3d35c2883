"""Reports of analysers -> what an arm's answer holds: items, the output kept, reasons in words."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_reviewbench.arms.analysers.protocol import Found, Report
from pytest_reviewbench.model import SEVERITIES

KEPT_LIMIT = 1 << 20
MOST_MESSAGES = 5
MOST_NAMES = 5


def as_items(tool: str, found: Iterable[Found]) -> Iterator[dict[str, Any]]:
    """One item per place and rule, sorted; `text` is `<tool> <rule>: <message>`.

    Messages of one rule about one line are one finding: an expression of four operands that may be None is one
    complaint, not four. `end_line` stays open: the place of a complaint is where it starts, and a range over a
    whole function would come near every change in it.
    """

    def place(one: Found) -> tuple[str, int, str]:
        return one.file, one.line, one.rule

    for (file, line, rule), group in itertools.groupby(sorted(found, key=lambda one: (place(one), one)), key=place):
        alike = list(group)
        messages = list(dict.fromkeys(" ".join(one.message.split()) for one in alike))
        shown = "; ".join(messages[:MOST_MESSAGES])
        more = f"; and {len(messages) - MOST_MESSAGES} more" if len(messages) > MOST_MESSAGES else ""
        yield {
            "file": file,
            "line": line,
            "severity": min((one.severity for one in alike), key=SEVERITIES.index),
            "text": f"{tool} {rule}: {shown}{more}",
            "tool": tool,
            "rule": rule,
        }


def kept_output(report: Report) -> dict[str, Any]:
    """The analyser's own records, sorted (it prints them in any order), up to `KEPT_LIMIT` characters."""
    texts = sorted(json.dumps(record, sort_keys=True) for record in report.output)
    sizes = itertools.accumulate(len(text) for text in texts)
    fitting = sum(1 for size in sizes if size <= KEPT_LIMIT)
    return {"records": [json.loads(text) for text in texts[:fitting]], "left_out": len(texts) - fitting}


def by_reason(unread: Sequence[tuple[str, str]]) -> list[str]:
    """(path, reason) pairs as one text per reason, sorted: `a.py, b.py: not UTF-8`."""
    groups: dict[str, list[str]] = defaultdict(list)
    for path, reason in unread:
        groups[reason].append(path)
    return [f"{_listed(sorted(paths))}: {reason}" for reason, paths in sorted(groups.items())]


def raw_document(reports: Mapping[str, Report]) -> dict[str, Any]:
    """What a run keeps as the raw answer: per analyser its own records, and what it could not read."""
    return {name: kept_output(report) | {"unread": dict(report.unread)} for name, report in reports.items()}


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - MOST_NAMES} more" if len(paths) > MOST_NAMES else ""
    return ", ".join(paths[:MOST_NAMES]) + more
