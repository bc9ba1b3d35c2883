"""Loose items -> findings: one meaning per field, nothing dropped in silence.

Rows named pub-NNN are from public reports of what reviewers and tools really print; test_reported_answers.py has
them all.
"""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_reviewbench import codec
from pytest_reviewbench.answers.document import read_document
from pytest_reviewbench.answers.normalise import (
    FIELD_LIMIT,
    SEVERITY_WORDS,
    TEXT_LIMIT,
    clean_text,
    normalise,
    tree_path,
)
from pytest_reviewbench.model import SEVERITIES, Finding

FILES = ("pkg/a.py", "x.py")


def one(**item: Any) -> tuple[Finding, tuple[str, ...]]:
    """The only finding of an answer and its warnings."""
    made = normalise([{"text": "boom", **item}], FILES)
    (finding,) = made.findings
    return finding, made.warnings


def parsed(raw: str) -> list[Finding]:
    return list(normalise(read_document(raw.encode(), "answer"), FILES).findings)


# -- lines ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "end_line", "expected"),
    [
        (12, None, (12, None)),
        (12, 14, (12, 14)),
        (12, 12, (12, 12)),
        (20, 10, (10, 20)),  # pub-026: swapped, never an empty range
        (12.0, 14.0, (12, 14)),
        ("12", None, (12, None)),
        (" 12 ", "14", (12, 14)),
        ("12.0", None, (12, None)),  # pub-023
        ("L12", "L14", (12, 14)),
        ("12-14", None, (12, 14)),
        ("12 – 14", None, (12, 14)),
        ("L12-L14", None, (12, 14)),
        ("14-12", None, (12, 14)),
        ("12-14", 20, (12, 20)),
        ("lines 3 to 5", None, (3, 5)),
        ("Line 12", None, (12, None)),
        ("#L12-L14", None, (12, 14)),
        ("12..14", None, (12, 14)),
        ("12:5-9", None, (12, None)),
        ("12:5", None, (12, None)),  # line and column, as compilers write them
        (10_000_000, None, (10_000_000, None)),
        (None, None, (None, None)),
    ],
)
def test_a_line_is_read_from_what_reviewers_write(
    line: object, end_line: object, expected: tuple[int | None, int | None]
) -> None:
    finding, warnings = one(line=line, end_line=end_line)
    assert (finding.line, finding.end_line) == expected
    assert warnings == ()


@pytest.mark.parametrize(
    "line",
    [0, -3, 12.5, True, False, "N/A", "", "abc", "12abc", "-3", "0", "1e3", "²", [12], {"start": 12},
     10_000_001, 10**30, 1e300, "9" * 40, "0000000000012", "12-", "-14", "12-14-16"],
    ids=repr,
)  # fmt: skip
def test_what_is_no_line_number_is_the_whole_file_and_said_so(line: object) -> None:
    finding, (warning,) = one(line=line, end_line=14, file="x.py")
    assert (finding.line, finding.end_line, finding.file) == (None, None, "x.py")
    assert warning.startswith("item 0: line ")


@pytest.mark.parametrize("line", ["12, 15", "12,15", "L12, L15", "12 and 15", "12, 15 and 99", "12; 15", "12 & 15"])
def test_of_several_lines_the_first_is_taken_and_said_so(line: str) -> None:
    finding, (warning,) = one(line=line)
    assert (finding.line, finding.end_line) == (12, None)
    assert warning == f"item 0: line {line!r} names several, the first is taken"


def test_what_may_be_one_number_or_two_is_none() -> None:
    finding, (warning,) = one(line="1,234")
    assert (finding.line, finding.end_line) == (None, None)
    assert warning.startswith("item 0: line ")


@pytest.mark.parametrize(
    ("file", "line", "expected"),
    [
        ("x.py:12", None, ("x.py", 12, None)),
        ("pkg\\a.py:12:5", None, ("pkg/a.py", 12, None)),
        ("`pkg/a.py:12-14`", None, ("pkg/a.py", 12, 14)),
        ("b/x.py#L12-L14", None, ("x.py", 12, 14)),
        ("x.py (lines 12 to 14)", None, ("x.py", 12, 14)),
        ("x.py:12", 99, ("x.py", 99, None)),
        ("x.py:", None, ("x.py:", None, None)),
        ("odd:7", None, ("odd:7", None, None)),
        ('"x.py"', None, ("x.py", None, None)),
        ('`"./x.py"`', None, ("x.py", None, None)),
        ("**x.py**", None, ("x.py", None, None)),
        ("my%20file.py", None, ("my file.py", None, None)),
        ("100%25.py", None, ("100%25.py", None, None)),
        ("file:///tree/x.py", None, ("x.py", None, None)),
        ("x.py\r\n", None, ("x.py", None, None)),
    ],
)
def test_a_file_is_read_from_what_reviewers_write(
    file: str, line: int | None, expected: tuple[str, int | None, int | None]
) -> None:
    item = {"text": "boom", "file": file, "line": line}
    (finding,) = normalise([item], (*FILES, "my file.py", "odd:7", "100%25.py"), "/tree").findings
    assert (finding.file, finding.line, finding.end_line) == expected


def test_a_last_line_without_a_first_is_left_out_and_said_so() -> None:
    finding, (warning,) = one(end_line=14)
    assert (finding.line, finding.end_line) == (None, None)
    assert warning == "item 0: end_line '14' cannot be used, left out"


@pytest.mark.parametrize("end_line", [0, -1, True, "N/A", 12.5, [14], 10**30])
def test_a_last_line_that_cannot_be_read_is_left_out_and_said_so(end_line: object) -> None:
    finding, (warning,) = one(line=12, end_line=end_line)
    assert (finding.line, finding.end_line) == (12, None)
    assert warning.startswith("item 0: end_line ")


def test_a_malformed_line_never_drops_a_sibling() -> None:
    """pub-023."""
    raw = '[{"file":"a.py","line":"12.0","text":"x"},{"file":"a.py","line":"N/A","text":"y"},{"file":"a.py","line":7,"text":"z"}]'  # noqa: E501
    assert [f.line for f in parsed(raw)] == [12, None, 7]


def test_line_zero_is_a_finding_for_the_whole_file() -> None:
    """pub-039, in our own format."""
    assert [f.line for f in parsed('[{"file": "a.c", "line": 0, "end_line": 0, "text": "x"}]')] == [None]


# -- severities -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("critical", "critical"),
        ("Critical", "critical"),
        ("BLOCKER", "critical"),
        ("P0", "critical"),
        (" high ", "high"),
        ("error", "high"),
        ("P1", "high"),
        ("Warning", "medium"),
        ("P2", "medium"),
        ("nit", "low"),
        ("info", "low"),
        ("P3", "low"),
        ("**High**", "high"),
        ("[P1]", "high"),
        ("🔴 Critical", "critical"),
        (None, None),
    ],
)
def test_severities_are_mapped_by_a_table(word: str | None, expected: str | None) -> None:
    finding, warnings = one(severity=word)
    assert (finding.severity, warnings) == (expected, ())


@pytest.mark.parametrize("word", ["", "urgent", "p4", "very high", "criticalhigh", 1, 9.8, True, ["high"], {}])
def test_an_unknown_severity_is_null_and_said_so(word: object) -> None:
    finding, (warning,) = one(severity=word)
    assert finding.severity is None
    assert warning.startswith("item 0: severity ")


def test_every_word_of_the_table_is_plain_lower_case_and_means_one_of_ours() -> None:
    assert set(SEVERITY_WORDS.values()) == set(SEVERITIES)
    assert all(word == word.strip().lower() for word in SEVERITY_WORDS)
    assert all(SEVERITY_WORDS[severity] == severity for severity in SEVERITIES)


# -- paths ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("pkg/a.py", "pkg/a.py"),
        ("./pkg/a.py", "pkg/a.py"),
        ("pkg//b/../a.py", "pkg/a.py"),
        ("pkg\\a.py", "pkg/a.py"),
        ("a/pkg/a.py", "pkg/a.py"),
        ("b/pkg/a.py", "pkg/a.py"),
        ("b/x.py", "x.py"),
        ("c/x.py", "c/x.py"),
        ("a/b/x.py", "a/b/x.py"),
        ("b/other.py", "b/other.py"),
        ("a.py", "a.py"),
        (" x.py\n", "x.py"),
        ("x\x00.py\x1b", "x.py"),
        ("../x.py", "../x.py"),
        ("/etc/passwd", "/etc/passwd"),
        ("/tree/pkg/a.py", "pkg/a.py"),
        ("/tree/./x.py", "x.py"),
        ("/treetop/x.py", "/treetop/x.py"),
        ("/tree", "/tree"),
        ("", None),
        (".", None),
        (None, None),
    ],
)
def test_a_path_is_one_of_the_reviewed_tree(path: str | None, expected: str | None) -> None:
    assert tree_path(path, FILES, "/tree") == expected
    assert tree_path(path, FILES, "/tree/") == expected


def test_a_prefix_is_kept_when_the_exact_path_is_in_the_change() -> None:
    """pub-028: diff header `--- a/a/bar.py`, finding `a/bar.py`."""
    assert tree_path("a/bar.py", ("a/bar.py",)) == "a/bar.py"
    assert tree_path("a/bar.py", ("a/bar.py", "bar.py")) == "a/bar.py"
    made = normalise([{"text": "boom", "file": "a/a/bar.py"}], ("a/bar.py",))  # as the header has it
    assert made.findings[0].file == "a/bar.py"


@pytest.mark.parametrize(
    ("files", "tree"), [(("x.py", "b/y.py"), ()), (("x.py",), ("x.py", "b/deep/y.py"))], ids=["change", "tree"]
)
def test_a_prefix_is_kept_when_the_tree_has_such_a_folder(files: tuple[str, ...], tree: tuple[str, ...]) -> None:
    """pub-029: the change touches only x.py, the finding is in b/x.py, and b/ is a folder of the repository."""
    (finding,) = normalise([{"text": "boom", "file": "b/x.py"}], files, tree=tree).findings
    assert finding.file == "b/x.py"
    (finding,) = normalise([{"text": "boom", "file": "a/x.py"}], files, tree=tree).findings
    assert finding.file == "x.py"


@pytest.mark.parametrize("path", [12, True, ["x.py"], {"path": "x.py"}, "\x00", " ", "./"])
def test_what_is_no_path_is_null_and_said_so(path: object) -> None:
    finding, (warning,) = one(file=path)
    assert finding.file is None
    assert warning.startswith("item 0: file ")


def test_an_endless_path_is_cut() -> None:
    finding, _ = one(file="d/" * 5000 + "x.py")
    assert finding.file is not None
    assert len(finding.file) == 1000


# -- text -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [None, "", "  \n", "\x00\x1b", 7, True, ["boom"], {"message": "boom"}])
def test_an_item_without_text_is_left_out_and_said_so(text: object) -> None:
    made = normalise([{"text": text, "file": "x.py"}, {"text": "boom"}], FILES)
    assert [f.text for f in made.findings] == ["boom"]
    assert made.warnings == ("item 0: no text, left out",)


def test_control_characters_go_and_line_ends_and_tabs_stay() -> None:
    assert clean_text("a\x1b[31mred\x1b[0m\x07\r\n\tb\x7f\x85\x9f\u2028c") == "a[31mred[0m\n\tb\u2028c"


def test_half_of_a_surrogate_pair_is_replaced_and_a_whole_one_kept() -> None:
    assert clean_text("a\ud83db") == "a\ufffdb"
    assert clean_text("\udc00a\ud83d") == "\ufffda\ufffd"
    assert clean_text("\U0001f600\ufeffx") == "\U0001f600\ufeffx"
    assert clean_text("\ufeffx") == "\ufeffx"


def test_long_texts_and_fields_are_cut() -> None:
    finding, (warning,) = one(text="x" * (TEXT_LIMIT + 1), tool="t" * 1000, rule="r" * 1000)
    assert (len(finding.text), warning) == (TEXT_LIMIT, f"item 0: text cut at {TEXT_LIMIT} characters")
    assert (finding.tool, finding.rule) == ("t" * FIELD_LIMIT, "r" * FIELD_LIMIT)


def test_tool_and_rule_are_text_or_null() -> None:
    finding, _ = one(tool=7, rule=["R1"])
    assert (finding.tool, finding.rule) == (None, None)
    finding, _ = one(tool="ruff", rule=" R1\x00 ")
    assert (finding.tool, finding.rule) == ("ruff", "R1")


def test_unknown_fields_are_ignored() -> None:
    """pub-010, strict part."""
    (finding,) = parsed('[{"file":"a.py","line":5,"text":"bad","lines":[5,6],"id":"mine"}]')
    assert (finding.line, finding.text) == (5, "bad")
    assert finding.id != "mine"


# -- many, and hostile ------------------------------------------------------------------------------------------


def test_a_warning_about_a_hostile_value_is_one_short_clean_line() -> None:
    deep: list[Any] = []
    for _ in range(50_000):
        deep = [deep]
    for value in (10**5000, deep, "\x1b]0;title\x07" * 100, "\ud83d"):
        _, (warning,) = one(severity=value)
        assert len(warning) < 200
        assert not any(unicodedata.category(c) in ("Cc", "Cs") for c in warning)


def test_ids_come_from_content_and_identical_findings_are_numbered() -> None:
    item = {"text": "boom", "file": "x.py", "line": 3}
    made = normalise([item, {**item, "line": 4}, item, {**item, "severity": "low"}], FILES)
    first, other, second, third = (f.id for f in made.findings)
    assert (second, third) == (f"{first}-2", f"{first}-3")
    assert other != first
    assert first == "28a75ad149dc"  # sha256 of ["x.py",3,null,"boom"]: stored ids must keep their meaning


@pytest.mark.parametrize("change", [{"file": "y.py"}, {"line": 4}, {"end_line": 9}, {"text": "bang"}], ids=str)
def test_place_and_text_decide_the_id(change: dict[str, Any]) -> None:
    item = {"text": "boom", "file": "x.py", "line": 3}
    assert one(**item)[0].id != one(**{**item, **change})[0].id


@pytest.mark.parametrize(
    "change", [{"severity": "low"}, {"tool": "t"}, {"rule": "r"}, {"line": "3"}, {"file": "./x.py"}]
)
def test_nothing_else_changes_the_id(change: dict[str, Any]) -> None:
    item = {"text": "boom", "file": "x.py", "line": 3}
    assert one(**item)[0].id == one(**{**item, **change})[0].id


JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(codec=None))),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=5,
)
FIELDS = ("file", "line", "end_line", "severity", "text", "tool", "rule")
ITEMS = st.lists(st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, JUNK)), max_size=6)


@given(ITEMS)
def test_whatever_an_answer_holds_its_findings_can_be_stored_and_read_back(items: list[dict[str, Any]]) -> None:
    made = normalise(items, FILES, "/tree")
    assert len(made.findings) + sum("no text" in warning for warning in made.warnings) == len(items)
    assert len({f.id for f in made.findings}) == len(made.findings)
    for finding in made.findings:
        assert codec.decode(codec.encode(finding), Finding, "finding") == finding
        assert finding.end_line is None or (finding.line is not None and finding.line <= finding.end_line)
    json.dumps(made.warnings).encode()


@given(ITEMS, st.randoms(use_true_random=False))
def test_the_order_of_items_changes_no_set_of_ids(items: list[dict[str, Any]], chance: Any) -> None:
    first = {f.id for f in normalise(items, FILES).findings}
    chance.shuffle(items)
    assert {f.id for f in normalise(items, FILES).findings} == first


def test_secrets_go_before_anything_is_cut_joined_or_named() -> None:
    key = "ghp_" + "Zb3D5fG7hJ9k" * 3
    items = [
        {"text": f"a {key}", "file": f"a/{key[:9]}\n{key[9:]}", "tool": "t" * 190 + key, "rule": "\x00".join(key)},
        {"text": "b", "line": "x" * 30 + key},
    ]
    found = normalise(items, ["a.py"])
    first = found.findings[0]
    assert (first.text, first.file, first.rule) == ("a [redacted]", "a/[redacted]", "[redacted]")
    assert first.tool == "t" * 190 + "[redacted]"
    assert found.warnings == (
        "item 1: line 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx[redacted]' is no line number, taken as the whole file",
    )
    clean = normalise([{**items[0], "text": "a [redacted]", "file": "a/[redacted]"}], ["a.py"])
    assert clean.findings[0].id == first.id
