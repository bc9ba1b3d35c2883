"""An answer that must be JSON: what is read, and what is refused instead of being taken for silence."""

from __future__ import annotations

import pytest

from pytest_reviewbench.answers.document import read_document
from pytest_reviewbench.errors import FormatError


@pytest.mark.parametrize(
    "raw",
    [
        b'[{"text": "x"}]',
        b'{"findings": [{"text": "x"}]}',
        b'\xef\xbb\xbf[{"text": "x"}]',
        b'\n\t [{"text": "x"}] \r\n',
        b'{"verdict": "bad", "findings": [{"text": "x"}], "notes": null}',
    ],
    ids=["array", "object", "byte order mark", "white space", "other keys"],
)
def test_both_shapes_are_read(raw: bytes) -> None:
    assert read_document(raw, "answer") == [{"text": "x"}]


@pytest.mark.parametrize("raw", [b"[]", b'{"findings": []}', b" [ ] \n"])
def test_an_empty_list_is_an_answer(raw: bytes) -> None:
    assert read_document(raw, "answer") == []


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "no output"),
        (b" \n\t", "no output"),
        (b"The change looks fine to me.", "not JSON"),
        (b'```json\n[{"text": "x"}]\n```', "not JSON"),
        (b'Here it is: [{"text": "x"}]', "not JSON"),
        (b'[{"text": "x"}] Done.', "not JSON: Extra data"),
        (b'[{"text": "x"}][{"text": "y"}]', "not JSON: Extra data"),
        (b'{"text": "x"}\n{"text": "y"}', "not JSON: Extra data"),
        (b'[{"text": "x"}, {"text": "y', "not JSON"),
        (b'{"findings":[{"file":"a","line":1,"text":"x"}],"verd', "not JSON"),
        (b'[{"text": "x",}]', "not JSON"),
        (b'[{"text": "regex \\d+"}]', "not JSON: Invalid \\\\escape"),
        (b'[{"text": "two\nlines"}]', "not JSON: Invalid control character"),
        (b'[{"text": "x", "line": NaN}]', "NaN is not a JSON number"),
        (b'[{"text": "x", "line": -Infinity}]', "-Infinity is not a JSON number"),
        (b'[{"text": "x", "line": 1e999}]', "out of range"),
        (b'[{"text": "x", "text": "y"}]', "the key 'text' stands twice"),
        (b'[{"text": "x", "line": ' + b"9" * 5000 + b"}]", "integer string conversion"),
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
        (b'{"findings":' * 50_000, "nested too deeply"),
        (b"null", "expected a JSON array"),
        (b"0", "expected a JSON array"),
        (b'"no findings"', "expected a JSON array"),
        (b"{}", "expected a JSON array"),
        (b'{"text": "x"}', "expected a JSON array"),
        (b'{"findings": null}', "expected a JSON array"),
        (b'{"findings": {"0": {"text": "x"}}}', "expected a JSON array"),
        (b'["off by one", "a leak"]', "none of the 2 items is an object"),
        (b"[null]", "none of the 1 items is an object"),
        (b"[[]]", "none of the 1 items is an object"),
        (b"\xff\xfe[\x00]\x00", "not UTF-8"),
    ],
    ids=lambda value: value[:24].decode("latin-1") if isinstance(value, bytes) else "",
)
def test_anything_else_is_refused_with_the_reason(raw: bytes, said: str) -> None:
    with pytest.raises(FormatError, match=f"^answer: .*{said}"):
        read_document(raw, "answer")


def test_an_item_that_is_no_object_keeps_its_place_as_an_empty_one() -> None:
    items = read_document(b'["off by one", {"text": "x"}, null]', "answer")
    assert items == [{}, {"text": "x"}, {}]


def test_half_of_a_surrogate_pair_does_not_lose_the_answer() -> None:
    (item,) = read_document(rb'[{"text": "a \ud83d b", "\udc00": "k"}]', "answer")
    assert item["text"] == "a \ufffd b"
    "".join(item).encode()


def test_a_whole_surrogate_pair_is_one_character() -> None:
    assert read_document(rb'[{"text": "\ud83d\ude00"}]', "answer") == [{"text": "\U0001f600"}]


def test_backticks_and_brackets_inside_a_string_are_content() -> None:
    raw = b'[{"file": "doc.md", "line": 9, "text": "fence ```py is never closed [1] <think>"}]'
    assert read_document(raw, "answer")[0]["text"] == "fence ```py is never closed [1] <think>"


def test_ten_thousand_items_are_read() -> None:
    assert len(read_document(b"[" + b",".join([b'{"text":"x"}'] * 10_000) + b"]", "answer")) == 10_000
