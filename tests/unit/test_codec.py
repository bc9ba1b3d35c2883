"""JSON in and out: what would be misread in silence is refused with its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_reviewbench import codec
from pytest_reviewbench.errors import FormatError
from pytest_reviewbench.model import Bug, Finding, Meta, Review, RunManifest, Truth

T = TypeVar("T")
WELL = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 70), 1 << 70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | WELL,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WELL, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_what_is_written_is_read_back(value: Any) -> None:
    assert codec.parse(codec.encode(value), "f") == value


def attempt(make: Callable[[], T]) -> tuple[T | None, str]:
    """What `make` returns, or its `FormatError`."""
    try:
        return make(), ""
    except FormatError as e:
        return None, str(e)


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_a_value_or_a_format_error(raw: bytes, mend: bool) -> None:
    value, error = attempt(lambda: codec.parse(raw, "f", mend_surrogates=mend))
    assert error.startswith("f: ") if error else codec.parse(codec.encode(value), "f") == value


@given(st.text('[]{}",:\\ud8c0123e-.NaInfity \n', max_size=60), st.booleans())
def test_any_text_is_a_value_or_a_format_error(text: str, mend: bool) -> None:
    value, error = attempt(lambda: codec.parse(text.encode(), "f", mend_surrogates=mend))
    assert error.startswith("f: ") if error else codec.parse(codec.encode(value), "f") == value


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "f: not JSON: Expecting value at line 1 column 1"),
        (b"[1,\n 2", "f: not JSON: Expecting ',' delimiter at line 2 column 3"),
        (b"[1] x", "f: not JSON: Extra data at line 1 column 5"),
        (b"\xff[]", "f: not UTF-8 at byte 0; store the file as UTF-8"),
        (b'["\xc3"]', "f: not UTF-8 at byte 2"),
        ('["é"]'.encode("utf-16"), "f: not UTF-8 at byte 0"),
        (b'["\xed\xa0\x80"]', "f: not UTF-8 at byte 2"),
        (b'{"a": [0, NaN]}', "f: $.a[1]: NaN is not a JSON number; write null"),
        (b'{"a": {"b": -Infinity}}', "f: $.a.b: -Infinity is not a JSON number"),
        (b"Infinity", "f: $: Infinity is not a JSON number"),
        (b"[1e999]", "f: $[0]: the number 1e999 is out of range"),
        (b'[{"a": {"k": 1, "k": 1}}]', "f: $[0].a: the key 'k' stands twice in one object"),
        (b'{"a": {"k": 1, "k": 1}, "a": 2}', "f: $: the key 'a' stands twice"),
        (rb'{"a": ["x\ud800y"]}', "f: $.a[0]: half of a surrogate pair"),
        (rb'{"a": {"\udfff": 1}}', "f: $.a: half of a surrogate pair"),
        (rb'["\ud83d\ud83d\ude00"]', "f: $[0]: half of a surrogate pair"),
        (b"[" * 10_000 + b"]" * 10_000, "f: nested too deeply to be read"),
        (b'{"a":' * 100_000, "f: nested too deeply to be read"),
        (b"[" + b"9" * 5000 + b"]", "f: Exceeds the limit"),
    ],
)
def test_what_would_be_misread_is_refused_with_its_place(raw: bytes, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        codec.parse(raw, "f")
    assert str(caught.value).startswith(said)


def test_an_error_does_not_repeat_the_text_it_is_about() -> None:
    for raw in (rb'{"match": "zanzibar \ud800"}', b'{"match": "zanzibar", "x": NaN}', b'{"match": "zanzibar'):
        with pytest.raises(FormatError) as caught:
            codec.parse(raw, "f")
        assert "zanzibar" not in str(caught.value)


def test_a_byte_order_mark_and_a_whole_pair_are_fine() -> None:
    assert codec.parse(b"\xef\xbb\xbf[1]", "f") == [1]
    assert codec.parse(rb'["\ud83d\ude00"]', "f") == ["\U0001f600"]
    assert codec.parse(rb'["\\ud800"]', "f") == ["\\ud800"]


def test_half_a_pair_can_be_mended_where_a_lost_answer_would_be_worse() -> None:
    raw = rb'{"\ud800k": ["a\udfffb", "\ud83d\ude00", {"x": "\ud83d"}]}'
    mended = {"\ufffdk": ["a\ufffdb", "\U0001f600", {"x": "\ufffd"}]}
    assert codec.parse(raw, "f", mend_surrogates=True) == mended


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (Truth, [], "f: $: expected `object`, got `array`"),
        (Truth, {}, "f: $: object missing required field `bugs`"),
        (Truth, {"bugs": {}}, "f: $.bugs: expected `array`"),
        (Truth, {"bugs": [{"match": "x"}, {"match": 1}]}, "f: $.bugs[1].match: expected `str | null`, got `int`"),
        (Truth, {"bugs": [{"match": "x", "line": 1.5}]}, "f: $.bugs[0].line: expected `int"),
        (Truth, {"bugs": [{"match": "x", "line": 0}]}, "f: $.bugs[0].line: expected `int` >= 1"),
        (Truth, {"bugs": [{"match": "x", "line": 1 << 80}]}, "f: $.bugs[0].line: "),
        (Truth, {"bugs": [{"match": ""}]}, "f: $.bugs[0].match: expected `str` of length >= 1"),
        (Truth, {"bugs": [], "matcher_version": True}, "f: $.matcher_version: expected"),
        (Truth, {"bugs": None}, "f: $.bugs: expected `array`, got `null`"),
        (Meta, {"lang": "Python"}, "f: $.lang: expected `str` matching regex"),
        (Meta, {"lang": "py\n"}, "f: $.lang: expected `str` matching regex"),
        (Meta, {"lang": "py", "expensive": 1}, "f: $.expensive: expected `bool`, got `int`"),
        (Meta, {"lang": "py", "source": {"ecosystem": "cargo"}}, "f: $.source.ecosystem: invalid enum value"),
    ],
)
def test_a_wrong_type_is_named_with_its_json_path(kind: Any, value: Any, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        codec.convert(value, kind, "f")
    assert str(caught.value).startswith(said)


def test_decode_is_parse_and_convert() -> None:
    assert codec.decode(b'{"bugs": [{"match": "x"}]}', Truth, "f") == Truth(bugs=(Bug(match="x"),))


@given(VALUES)
def test_any_value_is_a_truth_or_a_format_error(value: Any) -> None:
    truth, error = attempt(lambda: codec.convert(value, Truth, "f"))
    assert error.startswith("f: $") if error else isinstance(truth, Truth)


REVIEW: dict[str, Any] = {"case": "py-1", "arm": "a", "rep": 1, "status": "ok"}


@pytest.mark.parametrize(
    "changes",
    [
        {"cost_usd": float("nan")},
        {"seconds": float("inf")},
        {"cost_usd": "abc"},
        {"cost_usd": -1.0},
        {"status": "great"},
        {"case": "a/b"},
        {"rep": 0},
        {"findings": (Finding(id="a", text="b", line=-3),)},
        {"findings": ({"id": "a"},)},
    ],
    ids=str,
)
def test_a_record_that_could_not_be_read_back_is_not_written(changes: dict[str, Any]) -> None:
    with pytest.raises(FormatError, match="Review: "):
        codec.encode(Review(**{**REVIEW, **changes}))


def test_half_pairs_are_mended_on_writing_so_that_no_record_is_lost() -> None:
    review = Review(**REVIEW, findings=(Finding(id="x", text="a\ud800b"),))
    read = codec.decode(codec.encode(review), Review, "f")
    assert read.findings[0].text == "a\ufffdb"


def test_written_records_are_sorted_readable_and_end_in_one_newline() -> None:
    raw = codec.encode(Review(**REVIEW, warnings=("grün",)))
    assert raw.endswith(b"}\n")
    assert "grün" in raw.decode()
    assert list(json.loads(raw)) == sorted(json.loads(raw))
    assert json.loads(raw)["schema"] == 1


def test_unknown_keys_are_named_with_their_paths_in_order() -> None:
    value = {
        "bugs": [{"match": "x", "sevrity": "high"}, {"match": "y"}, {"match": "z", "fil": {"match": 1}}],
        "matcher_version": 1,
        "note": [{"match": 1}],
    }
    assert codec.unknown_keys(value, Truth) == ["$.bugs[0].sevrity", "$.bugs[2].fil", "$.note"]


def test_keys_with_another_spelling_and_optional_structs_are_known() -> None:
    pin = {"version": "1", "filename": "f", "sha256": "0", "size": 1}
    value = {"lang": "py", "class": "x", "class_": "y", "source": {"buggy": pin, "before": pin, "kind": 1}}
    found = ["$.class_", "$.source.buggy.size", "$.source.before.size", "$.source.kind"]
    assert codec.unknown_keys(value, Meta) == found


def test_free_mappings_have_no_unknown_keys() -> None:
    assert codec.unknown_keys({"versions": {"anything": "1"}, "environment": {"x": "y"}}, RunManifest) == []
    assert codec.unknown_keys("no object", Truth) == []
    assert codec.unknown_keys({"bugs": "no list"}, Truth) == []
