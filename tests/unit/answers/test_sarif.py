"""SARIF 2.1.0 as an answer: what is a finding, where it is, how grave, in which words."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_reviewbench.errors import FormatError
from tests.unit.answers.reading import SAMPLES, findings, read, rows


def log(*results: Any, **run: Any) -> dict[str, Any]:
    """A log with one run."""
    made = {"tool": {"driver": {"name": "lintish"}}, "results": list(results), **run}
    return {"version": "2.1.0", "runs": [made]}


def result(**keys: Any) -> dict[str, Any]:
    return {"message": {"text": "boom"}, **keys}


def located(uri: str, base: str | None = None, **region: Any) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": uri, "uriBaseId": base}, "region": region}
    return result(locations=[{"physicalLocation": place}])


def test_the_sample_is_read_and_says_what_is_no_finding() -> None:
    parsed = read("sarif", SAMPLES["sarif"], "/review/tree")
    assert rows(parsed) == [
        ("/review/tree/pkg/a.py", 2, 3, "low", "index n is past the end of items", "lintish", "L1"),
        ("/review/tree/pkg/my file.py", 7, None, "high", "a set {literal} is no dict", "lintish", "L2/strict"),
        (None, None, None, "medium", "the file is read after it was closed", "lintish", "L2"),
        (None, None, None, "high", "from an extension", "lintish", "P1"),
        (None, None, None, "medium", "doubted", "lintish", "L1"),
    ]
    assert parsed.warnings == (
        "left out, no findings: 1 absent since the baseline",
        "left out, no findings: 1 of kind pass",
        "left out, no findings: 1 suppressed",
        "result 8: no message text, left out",
        "result 0: has 2 locations, the first is taken",
    )


def test_an_empty_list_of_results_is_a_review_that_found_nothing() -> None:
    assert read("sarif", log()).items == ()
    only_passed = read("sarif", log(result(kind="pass")))
    assert (only_passed.items, len(only_passed.warnings)) == ((), 1)


FAILED = [{"executionSuccessful": False}]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (b"", "no output"),
        (b"ruff failed", "not JSON"),
        (SAMPLES["sarif"][:-20], "not JSON"),
        ([], "expected a SARIF log"),
        ({"version": "2.1.0"}, "expected a SARIF log"),
        ({"version": "2.1.0", "runs": None}, "expected a SARIF log"),
        ({"version": "1.0.0", "runs": []}, r"\$.version: expected SARIF 2.1.0, got '1.0.0'"),
        ({"runs": [{"results": []}]}, "got 'None'"),
        ({"version": "2.1.0", "runs": []}, "no run has results"),
        ({"version": "2.1.0", "runs": [{"tool": {}}]}, "no run has results"),
        (log(results=None), "no run has results"),
        (log(invocations=FAILED), "the tool says that it failed"),
        (log("x", 7), "none of its results can be read as a finding .result 0: no object"),
        (log({}, result(kind="pass")), "none of its results can be read"),
    ],
)
def test_what_is_no_log_is_refused_and_never_an_empty_review(document: Any, said: str) -> None:
    with pytest.raises(FormatError, match=f"^answer: .*{said}"):
        read("sarif", document)


def test_a_result_that_cannot_be_read_costs_no_sibling() -> None:
    odd = ["x", None, {}, {"message": 7}, {"message": {"text": " "}}, result(kind=["fail"]), result(kind="odd")]
    parsed = read("sarif", log(result(), *odd, result()))
    assert len(parsed.items) == 2
    assert len(parsed.warnings) == len(odd)


def test_a_tool_that_failed_after_some_findings_is_believed_with_a_warning() -> None:
    parsed = read("sarif", log(result(), invocations=FAILED))
    assert len(parsed.items) == 1
    assert "it failed" in parsed.warnings[0]


@pytest.mark.parametrize(
    ("suppressions", "counts"),
    [
        ([], True),
        ([{"kind": "inSource"}], False),
        ([{"kind": "external", "status": "accepted"}], False),
        ([{"kind": "external", "status": "rejected"}], True),
        ([{"kind": "inSource"}, {"kind": "external", "status": "underReview"}], True),
        (None, True),
    ],
)
def test_a_result_is_suppressed_when_no_suppression_is_in_doubt(suppressions: Any, counts: bool) -> None:
    assert len(read("sarif", log(result(suppressions=suppressions))).items) == counts


RULES = {
    "driver": {
        "name": "lintish",
        "rules": [{"id": "N", "defaultConfiguration": {"level": "note"}}, {"id": "E", "defaultConfiguration": {}}],
    }
}
OVERRIDES = [{"ruleConfigurationOverrides": [{"descriptor": {"id": "N"}, "configuration": {"level": "error"}}]}]


@pytest.mark.parametrize(
    ("keys", "severity"),
    [
        ({}, "medium"),
        ({"level": "error"}, "high"),
        ({"level": "none"}, None),
        ({"level": 7}, "medium"),
        ({"ruleId": "N"}, "low"),
        ({"ruleIndex": 0}, "low"),
        ({"ruleIndex": 0, "ruleId": "N/special"}, "low"),
        ({"ruleIndex": 0, "ruleId": "E"}, "medium"),  # an index that contradicts the id is not believed
        ({"ruleIndex": -1, "ruleId": "N"}, "low"),
        ({"ruleIndex": 99, "ruleId": "N"}, "low"),
        ({"ruleId": "unknown"}, "medium"),
        ({"ruleId": "N", "provenance": {"invocationIndex": 0}}, "high"),
        ({"ruleId": "N", "level": "note", "provenance": {"invocationIndex": 0}}, "low"),
        ({"ruleId": "N", "provenance": {"invocationIndex": 5}}, "low"),
    ],
)
def test_the_level_is_found_as_the_standard_says(keys: dict[str, Any], severity: str | None) -> None:
    (found,) = findings(read("sarif", log(result(**keys), tool=RULES, invocations=OVERRIDES)))
    assert found.severity == severity


BASES = {
    "ROOT": {"uri": "file:///srv/a%20b/"},
    "SUB": {"uri": "src", "uriBaseId": "ROOT"},
    "HIDDEN": {"description": {"text": "where it was is not told"}},
    "RING": {"uri": "x/", "uriBaseId": "RING"},
    "WEB": {"uri": "https://forge.example/repo/"},
    "OPEN": {"uri": "inner/"},
}


@pytest.mark.parametrize(
    ("uri", "base", "root", "file"),
    [
        ("pkg/a.py", None, "/w", "pkg/a.py"),
        ("pkg/a%20b%25.py", None, "/w", "pkg/a b%.py"),
        ("pkg/n%C3%A4h.py", None, None, "pkg/näh.py"),
        ("file:///w/pkg/a.py", None, "/w", "/w/pkg/a.py"),
        ("file://localhost/w/a%20b.py", None, "/w", "/w/a b.py"),
        ("FILE:/w/a.py", None, "/w", "/w/a.py"),
        ("file:///w/a.py#L3", None, "/w", "/w/a.py"),
        ("a.py", "ROOT", "/srv/a b", "/srv/a b/a.py"),
        ("a.py", "SUB", "/srv/a b", "/srv/a b/src/a.py"),
        ("a.py", "SUB", "/srv/a b/src", "/srv/a b/src/a.py"),
        ("a.py", "SUB", "/elsewhere", "src/a.py"),
        ("a.py", "SUB", None, "src/a.py"),
        ("a.py", "HIDDEN", "/w", "a.py"),
        ("a.py", "%SRCROOT%", "/w", "a.py"),
        ("a.py", "RING", "/w", "a.py"),
        ("a.py", "WEB", "/w", "a.py"),
        ("a.py", "OPEN", "/w", "inner/a.py"),
        ("../../etc/passwd", "ROOT", "/srv/a b", "../../etc/passwd"),
        ("https://forge.example/repo/a.py", None, "/w", None),
        ("file://server/share/a.py", None, "/w", None),
        ("ab%3Ac", None, "/w", "ab:c"),
    ],
)
def test_a_uri_is_a_path_of_the_tree(uri: str, base: str | None, root: str | None, file: str | None) -> None:
    (item,) = read("sarif", log(located(uri, base, startLine=3), originalUriBaseIds=BASES), root).items
    assert (item.get("file"), item["line"]) == (file, 3)


@pytest.mark.parametrize(
    ("region", "lines"),
    [
        ({"startLine": 3}, (3, None)),
        ({"startLine": 3, "endLine": 5}, (3, 5)),
        ({"startLine": 3, "endLine": 5, "endColumn": 1}, (3, 4)),
        ({"startLine": 3, "endLine": 3, "endColumn": 1}, (3, 3)),
        ({"charOffset": 3}, (None, None)),
        ({"startLine": 0, "endLine": 5}, (None, None)),
        ({"startLine": "3"}, (None, None)),
        ({"startLine": True}, (None, None)),
        ({"startLine": 10**30}, (None, None)),
    ],
)
def test_lines_are_those_of_the_region_and_of_nothing_else(region: dict[str, Any], lines: Any) -> None:
    parsed = read("sarif", log(located("a.py", **region)))
    (found,) = findings(parsed)
    assert (found.line, found.end_line) == lines
    odd = isinstance(region.get("startLine"), str | bool)
    assert parsed.warnings == (("result 0: its line is no number, taken as the whole file",) if odd else ())


def test_results_of_all_runs_count() -> None:
    both = log(result())
    both["runs"] += [{"results": [result()], "tool": {"driver": {"name": "other"}}}, {"tool": {}}]
    parsed = read("sarif", both)
    assert [found.tool for found in findings(parsed)] == ["lintish", "other"]
    assert parsed.warnings == ("1 of 3 runs have no results",)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"text": "{0} of {1}", "arguments": ["a", "b"]}, "a of b"),
        ({"text": "{{0}} is {0}", "arguments": ["a"]}, "{0} is a"),
        ({"text": "{3} {0}", "arguments": ["a", 7]}, "{3} a"),
        ({"text": "f'{x}' {0} }}"}, "f'{x}' {0} }}"),
        ({"markdown": "**bold**"}, "**bold**"),
        ({"text": "plain", "markdown": "**bold**"}, "plain"),
    ],
)
def test_a_message_has_its_arguments(message: dict[str, Any], text: str) -> None:
    (found,) = findings(read("sarif", log({"message": message})))
    assert found.text == text


def test_a_shared_message_cannot_blow_a_small_document_up() -> None:
    long = {"driver": {"globalMessageStrings": {"m": {"text": "x" * 50_000}}}}
    with pytest.raises(FormatError, match="longer than the document"):
        read("sarif", log(*[{"message": {"id": "m"}}] * 5_000, tool=long))


def test_a_few_placeholders_do_not_stand_for_gigabytes() -> None:
    filled = {"text": "{0}" * 100_000, "arguments": ["y" * 1_000_000]}
    (item,) = read("sarif", log({"message": filled})).items
    assert len(item["text"]) == 80_000
    assert set(item["text"]) == {"y"}
