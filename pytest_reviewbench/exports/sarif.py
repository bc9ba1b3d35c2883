"""A run as SARIF 2.1.0: one log with one SARIF run, whose tool is the arm.

Every case is a folder of its own in the artifact URIs (`py-0007/pkg/a.py`, from the base `CASES`), so that equal
paths of two cases are two files. One SARIF run per case would be more than consumers take (they stop at 20).
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from pytest_reviewbench._version import __version__
from pytest_reviewbench.model import Finding, Review, Severity
from pytest_reviewbench.runs.folder import RunFolder
from pytest_reviewbench.runs.loaded import LoadedRun, load_run
from pytest_reviewbench.runs.outcomes import read_outcomes

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
BASE = "CASES"
LEVELS: Mapping[Severity | None, str] = {
    "critical": "error", "high": "error", "medium": "warning", "low": "note", None: "none",
}  # fmt: skip
"""A missing level means `warning`, which nobody said; `none` is how the standard has no severity."""

NO_RULE = "finding"
"""The rule id of findings that have no rule: consumers want one."""


def sarif_log(run: RunFolder, *, partial: bool = False) -> dict[str, Any]:
    """The findings of all reviews that gave an answer; of the others the reason, as a notification.

    Per finding its id, the bugs that the matcher ties it to and each verifier's word, by id: no word of a truth and
    no reason of a verdict. Raises `RunError` for a run that is not complete, unless `partial`.
    """
    loaded = load_run(run.path, partial=partial)
    manifest = loaded.manifest
    answered = [review for review in loaded if review.status == "ok"]
    rules = sorted({f.rule or NO_RULE for review in answered for f in review.findings})
    numbers = {rule: n for n, rule in enumerate(rules)}
    failed = [o for o in read_outcomes(run, manifest) if o.status != "ok"]
    invocation: dict[str, Any] = {
        "executionSuccessful": all(o.status == "not_attempted" for o in failed),
        "toolExecutionNotifications": [
            {
                "level": "note" if o.status == "not_attempted" else "error",
                "message": {"text": f"{o.case}: {o.status}: {o.reason or 'no reason'}"},
                "properties": {"case": o.case, "status": o.status},
            }
            for o in failed
        ],
    }
    if manifest.started.endswith("+00:00"):
        invocation["startTimeUtc"] = manifest.started.removesuffix("+00:00") + "Z"
    facts: dict[str, Any] = {
        "family": manifest.family,
        "agent": manifest.agent,
        "model": manifest.model,
        "versions": dict(manifest.versions),
        "reviewbench": __version__,
    }
    driver = {
        "name": manifest.arm,
        "rules": [{"id": rule} for rule in rules],
        "properties": {key: value for key, value in facts.items() if value is not None},
    }
    made = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "automationDetails": {"id": f"reviewbench/{loaded.name}"},
        "originalUriBaseIds": {
            BASE: {"description": {"text": "One folder per case, named by its id, with the tree of its change."}}
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(loaded, review, f, numbers) for review in answered for f in review.findings],
        "properties": {
            "arm": manifest.arm,
            "rep": manifest.rep,
            "corpus_sha256": manifest.corpus_sha256,
            "split": manifest.split,
            "complete": loaded.complete,
        },
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [made]}


def _result(run: LoadedRun, review: Review, f: Finding, rules: Mapping[str, int]) -> dict[str, Any]:
    rule = f.rule or NO_RULE
    said = {"file": f.file, "severity": f.severity, "tool": f.tool}
    properties: dict[str, Any] = {"case": review.case, "finding": f.id, "tainted": review.tainted}
    properties |= {key: value for key, value in said.items() if value is not None}
    matches = run.matches.get(review.case)
    if matches is not None and not matches.judged_only:
        properties["bugs"] = list(matches.hits.get(f.id, ()))
    judged = {name: by_case[review.case][f.id] for name, by_case in run.verdicts.items() if review.case in by_case}
    if judged:
        properties["verdicts"] = {name: one.verdict for name, one in judged.items()}
        properties["verdict_bugs"] = {name: list(one.bugs) for name, one in judged.items()}
    made: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": rules[rule],
        "level": LEVELS[f.severity],
        "message": {"text": f.text},
        "partialFingerprints": {"reviewbench/v1": f"{review.case}/{f.id}"},
        "properties": properties,
    }
    uri = None if f.file is None else case_uri(review.case, f.file)
    if uri is not None:
        place: dict[str, Any] = {"artifactLocation": {"uri": uri, "uriBaseId": BASE}}
        if f.line is not None:
            place["region"] = {"startLine": f.line, "endLine": f.end_line or f.line}
        made["locations"] = [{"physicalLocation": place}]
    return made


def case_uri(case: str, file: str) -> str | None:
    """The URI of a file of a case, below the base; None: it is not in the case's tree."""
    path = posixpath.normpath(file)
    if path.startswith(("/", "../")) or path in (".", ".."):
        return None
    return f"{quote(case)}/{quote(path, safe='/')}"
