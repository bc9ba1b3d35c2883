"""SARIF 2.1.0, the OASIS standard for results of static analysis -> items.

A result is a finding when it says that something is wrong and nobody has withdrawn that: kind `fail`, not
suppressed, not absent from a baseline. docs/arms.md tells users what is made of the rest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pytest_reviewbench.answers.gathering import Gathering, Parsed
from pytest_reviewbench.answers.loose import json_document, last_line, line, mapping, no_line, sequence, string
from pytest_reviewbench.answers.sarif_places import artifact_path
from pytest_reviewbench.answers.sarif_rules import Rules, rule_id
from pytest_reviewbench.errors import FormatError

KINDS = ("fail", "pass", "open", "review", "informational", "notApplicable")

_VERSION = re.compile(r"2\.1(\.\d+)?")


def read_sarif(raw: bytes, where: str, root: str | None = None) -> Parsed:
    """The findings of a log, over all of its runs. `root`: see `artifact_path`.

    Raises `FormatError` when it is none, when nobody looked for anything (no run has `results`), and when a tool
    says that it failed and has no finding.
    """
    log = json_document(raw, where, "a SARIF log")
    version = log.get("version") if isinstance(log, dict) else None
    if not isinstance(log, dict) or not isinstance(log.get("runs"), list):
        raise FormatError(f'{where}: expected a SARIF log, {{"version": "2.1.0", "runs": [...]}}')
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        raise FormatError(f"{where}: $.version: expected SARIF 2.1.0, got {str(version)[:40]!r}")
    gathering = Gathering(where, "result", len(raw))
    runs = [mapping(run) for run in log["runs"]]
    complete = [run for run in runs if isinstance(run.get("results"), list)]
    if not complete:
        raise FormatError(f"{where}: $.runs: no run has results; a tool that found nothing says []")
    if len(complete) < len(runs):
        gathering.note(f"{len(runs) - len(complete)} of {len(runs)} runs have no results")
    failed = 0
    n = 0
    for run in complete:
        invocations = map(mapping, sequence(run.get("invocations")))
        failed += any(invocation.get("executionSuccessful") is False for invocation in invocations)
        rules = Rules(run)
        tool = string(mapping(mapping(run.get("tool")).get("driver")).get("name"))
        for result in run["results"]:
            _take(gathering, n, result, run, rules, tool, root)
            n += 1
    if failed and gathering.empty:
        raise FormatError(f"{where}: the tool says that it failed (executionSuccessful), and it has no finding")
    if failed:
        gathering.note("the tool says that it failed (executionSuccessful); there may be more to find")
    return gathering.parsed()


def _take(
    gathering: Gathering,
    n: int,
    result: Any,
    run: Mapping[str, Any],
    rules: Rules,
    tool: str | None,
    root: str | None,
) -> None:
    if not isinstance(result, dict):
        return gathering.unreadable(n, "no object")
    kind = result.get("kind", "fail")
    if kind not in KINDS:
        return gathering.unreadable(n, "kind is none of SARIF's words")
    if kind != "fail":
        return gathering.no_finding(f"of kind {kind}")
    if _suppressed(result):
        return gathering.no_finding("suppressed")
    if result.get("baselineState") == "absent":
        return gathering.no_finding("absent since the baseline")
    rule = rules.rule(result)
    text = rules.message(result, rule)
    if text is None:
        return gathering.unreadable(n, "no message text")
    places = [mapping(mapping(place).get("physicalLocation")) for place in sequence(result.get("locations"))]
    places = [place for place in places if place]
    place = places[0] if places else {}
    if len(places) > 1:
        gathering.doubt(n, f"has {len(places)} locations, the first is taken")
    region = mapping(place.get("region"))
    first = line(region.get("startLine"))
    if no_line(region.get("startLine")):
        gathering.doubt(n, "its line is no number, taken as the whole file")
    path = artifact_path(run, mapping(place.get("artifactLocation")), root)
    if path is None and place:
        gathering.doubt(n, "its location names no file")
    return gathering.add(
        text=text,
        file=path,
        line=first,
        end_line=last_line(first, region.get("endLine"), region.get("endColumn")),
        severity=rules.level(result, rule),
        tool=tool,
        rule=rule_id(result) or string(rule.get("id")),
    )


def _suppressed(result: Mapping[str, Any]) -> bool:
    """By at least one suppression, and none of them is in doubt; one without a status is accepted."""
    found = [mapping(one).get("status", "accepted") for one in sequence(result.get("suppressions"))]
    return bool(found) and all(status == "accepted" for status in found)
