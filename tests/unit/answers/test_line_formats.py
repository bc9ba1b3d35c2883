"""rdjson, rdjsonl and Checkstyle as answers."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_reviewbench.errors import FormatError
from tests.unit.answers.reading import SAMPLES, findings, read, rows


def test_rdjson_is_read() -> None:
    parsed = read("rdjson", SAMPLES["rdjson"])
    assert rows(parsed) == [
        ("pkg/a.py", 2, 3, "medium", "the index is past the end", "lintish", "L1"),
        ("pkg/b.py", None, None, "low", "never closed", "other", None),
        (None, None, None, "medium", "of no severity", "lintish", None),
    ]
    assert parsed.warnings == ("diagnostic 2: no message, left out",)


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [
        ({"line": "3"}, {"line": "5", "column": "1"}, (3, 4)),  # the JSON of protocol buffers may quote numbers
        ({"line": 3}, {"line": "5", "column": "2"}, (3, 5)),
        ({"line": 0}, {}, (None, None)),
        ({"line": "0"}, {}, (None, None)),
        ({}, {"line": 5}, (None, None)),
    ],
)
def test_numbers_of_rdjson_may_be_quoted(start: dict[str, Any], end: dict[str, Any], lines: Any) -> None:
    place = {"path": "a.py", "range": {"start": start, "end": end}}
    parsed = read("rdjson", {"diagnostics": [{"message": "boom", "location": place}]})
    (found,) = findings(parsed)
    assert ((found.line, found.end_line), parsed.warnings) == (lines, ())


@pytest.mark.parametrize("said", ["x3", "3.0", "-1", "", True, 3.5, [3], {}])
def test_a_line_of_rdjson_that_is_none_is_said_so(said: Any) -> None:
    place = {"path": "a.py", "range": {"start": {"line": said}}}
    parsed = read("rdjson", {"diagnostics": [{"message": "boom", "location": place}]})
    assert [(f.file, f.line) for f in findings(parsed)] == [("a.py", None)]
    assert parsed.warnings == ("diagnostic 0: its line is no number, taken as the whole file",)


def test_a_diagnostic_without_any_severity_gets_none() -> None:
    silent: list[dict[str, Any]] = [{}, {"severity": "UNKNOWN_SEVERITY"}, {"severity": 0}, {"severity": []}]
    for said in silent:
        (found,) = findings(read("rdjson", {"diagnostics": [{"message": "boom", **said}]}))
        assert found.severity is None


def test_rdjsonl_is_read_and_chatter_between_its_lines_costs_none() -> None:
    parsed = read("rdjsonl", SAMPLES["rdjsonl"])
    assert rows(parsed) == [
        ("pkg/a.py", 2, 4, "high", "the index is past the end", "lintish", None),
        ("pkg/b.py", None, None, None, "never closed", None, "L2"),
    ]
    assert parsed.warnings == ("line 2: no JSON, left out",)


def test_nothing_found_is_said_and_not_guessed() -> None:
    assert read("rdjson", {"diagnostics": []}).items == ()
    assert read("rdjsonl", b"\n").items == ()
    assert read("checkstyle", b"<checkstyle/>").items == ()
    assert read("checkstyle", b"<checkstyle><file name='a'/></checkstyle>").items == ()


def test_checkstyle_is_read() -> None:
    parsed = read("checkstyle", SAMPLES["checkstyle"])
    assert rows(parsed) == [
        ("pkg/a.py", 2, None, "high", 'the index is past the end of "items"', None, "lintish.L1"),
        ("pkg/a.py", None, None, "low", "the whole file is odd", None, None),
        ("pkg/b.py", None, None, "medium", "nämlich <b>", None, None),
    ]
    assert parsed.warnings == (
        "left out, no findings: 1 of severity ignore",
        "error 3: no message, left out",
        "error 4: its line is no number, taken as the whole file",
    )


def test_checkstyle_is_read_in_the_encoding_that_it_declares() -> None:
    xml = "<?xml version='1.0' encoding='%s'?><checkstyle><file name='a'><error message='für'/></file></checkstyle>"
    for declared, encoding in (("ISO-8859-1", "latin-1"), ("UTF-16", "utf-16"), ("utf-8", "utf-8-sig")):
        assert rows(read("checkstyle", (xml % declared).encode(encoding)))[0][4] == "für"


def test_a_byte_that_is_no_utf8_costs_no_answer() -> None:
    xml = b"<checkstyle><file name='a'><error message='f\xfcr'/></file></checkstyle>"
    assert rows(read("checkstyle", xml))[0][4] == "f\ufffdr"
    assert rows(read("rdjson", b'{"diagnostics": [{"message": "f\xfcr"}]}'))[0][4] == "f\ufffdr"


BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE c [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<checkstyle><file name="a"><error message="&b;"/></file></checkstyle>"""


@pytest.mark.parametrize(
    ("name", "document", "said"),
    [
        ("rdjson", b"", "no output"),
        ("rdjson", b"[]", "expected rdjson"),
        ("rdjson", {"diagnostics": None}, "expected rdjson"),
        ("rdjson", SAMPLES["rdjson"][:-5], "not JSON"),
        ("rdjson", {"diagnostics": [7, {}]}, "none of its diagnostics can be read"),
        ("rdjsonl", b"", "no output, not even an empty line"),
        ("rdjsonl", SAMPLES["rdjsonl"][:-9], "its last line is cut"),
        ("rdjsonl", b"Traceback\n", "its last line is cut or no JSON"),
        ("rdjsonl", b"7\n[]\n", "none of its lines can be read"),
        ("rdjsonl", {"diagnostics": []}, 'write format = "rdjson"'),
        ("checkstyle", b"", "no output"),
        ("checkstyle", SAMPLES["checkstyle"][:-9], "not XML"),
        ("checkstyle", b"<pmd/>", "expected the root element checkstyle, got 'pmd'"),
        ("checkstyle", b"no files were checked", "not XML"),
        ("checkstyle", BOMB, "has a document type"),
        ("checkstyle", b"<!DOCTYPE c SYSTEM 'file:///etc/passwd'><checkstyle/>", "has a document type"),
        ("checkstyle", b"<checkstyle>&a;</checkstyle>", "not XML: undefined entity"),
        ("checkstyle", b"<checkstyle>" + b"<a>" * 100_000, "nested too deeply"),
        ("checkstyle", b"<?xml version='1.0' encoding='no-such'?><checkstyle/>", "answer: "),
        ("checkstyle", b"<checkstyle><file name='a'><exception>x</exception></file></checkstyle>", "failed on 1"),
        ("checkstyle", b"<checkstyle><file name='a'><error line='1'/></file></checkstyle>", "can be read"),
    ],
)
def test_what_is_no_document_is_refused_and_never_an_empty_review(name: str, document: Any, said: str) -> None:
    with pytest.raises(FormatError, match=f"^answer: .*{said}|^{said}"):
        read(name, document)


def test_a_file_that_an_analyser_failed_on_is_a_warning_beside_findings() -> None:
    xml = b"<checkstyle><file name='a'><exception>x</exception><error message='boom'/></file></checkstyle>"
    parsed = read("checkstyle", xml)
    assert len(parsed.items) == 1
    assert "failed on 1 files" in parsed.warnings[0]
