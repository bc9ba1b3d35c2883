"""Free text -> items: what reviewers really print, and what must never come of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_reviewbench import codec
from pytest_reviewbench.answers import grammar
from pytest_reviewbench.answers.extract import Extracted, extract
from pytest_reviewbench.answers.normalise import normalise
from pytest_reviewbench.answers.reader import Reader

SAMPLE = Path(__file__).with_name("answers.jsonl")
F = {"file": "a.py", "line": 2, "text": "off by one"}
G = {"file": "b.py", "line": 3, "text": "never closed"}


def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in SAMPLE.read_text().splitlines()]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["name"])
def test_an_answer_is_read_as_the_sample_says(row: dict[str, Any]) -> None:
    made = extract(row["answer"])
    assert [item.get("text") for item in made.items] == row["texts"]
    assert (made.unparsable or "")[:400] == "" if row["status"] == "ok" else made.unparsable
    for word in row.get("says", ()):
        assert word in " | ".join([*made.warnings, made.unparsable or ""])
    if "says" not in row and row["status"] == "ok":
        assert made.warnings == ()


# -- whatever it is -----------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [*"[]{}\"'`,:\\\n#-1x“”\ud83d\x00\t", "//", "/*", "*/", "12-14", "null", "None", "true", "[…]", "```",
     "```json\n", "~~~\n", "<think>", "</think>", "<thinking>", "[THINK]", "[]", "{}", '{"findings": [', "]}",
     '"file":', '"text": "', "'text': '", '"line": ', json.dumps(F), json.dumps([G]), '{"file": "c.py", "te']
)  # fmt: skip
HOSTILE = st.lists(st.one_of(PIECES, st.text(st.characters(codec=None), max_size=8)), max_size=40).map("".join)


@given(HOSTILE)
def test_every_text_gives_items_that_can_be_stored_and_the_same_ones_again(text: str) -> None:
    made = extract(text)
    assert isinstance(made, Extracted)
    assert extract(text) == made
    codec.encode(list(made.items))
    codec.encode([*made.warnings, made.unparsable])
    normalise(made.items, ("a.py",))


@given(st.text("[]{}\"'`,:\\\n <think/>", max_size=200))
def test_no_finding_is_made_of_brackets_and_quotes(text: str) -> None:
    assert not any(extract(text).items)


@given(st.text("abc []{}\"'`,:.\n-1", max_size=60), st.text("abc .\n-1()", max_size=60))
def test_a_list_in_prose_is_found_unchanged(before: str, after: str) -> None:
    items = [F, G, {"text": 'quotes " \\ ``` [x] {y} <think>', "severity": None, "more": [1, {"a": []}]}]
    made = extract(f"{before}\n{json.dumps(items)}\n{after}")
    assert list(made.items) == items
    assert made.unparsable is None


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)  # fmt: skip


@given(st.lists(st.dictionaries(st.text(max_size=5), JUNK, max_size=4), max_size=4), st.booleans(), st.booleans())
def test_well_formed_json_is_read_as_json_by_either_way_of_reading(
    items: Any, mend: bool, ascii_only: bool
) -> None:
    raw = json.dumps(items, ensure_ascii=ascii_only, indent=None if mend else 1)
    read = Reader(raw, mend=mend).read(0)
    assert read is not None
    loose = json.loads(raw, parse_float=lambda digits: float(digits) if len(digits) <= 18 else digits)
    assert read.value == loose
    assert (read.cut, read.damaged, read.mends, read.end) == (False, 0, set(), len(raw))


@given(st.text("abc\"'{},:\\ \n", max_size=30), st.integers(0, 2))
def test_siblings_survive_one_damaged_item(damage: str, place: int) -> None:
    items = [json.dumps(F), json.dumps(G)]
    items.insert(place, '{"file": "c.py", "text": ' + damage + "}")
    made = extract("[" + ", ".join(items) + "]")
    texts = [item.get("text") for item in made.items]
    assert made.unparsable is None or place == 2  # a last string that never ends is a cut
    assert [text for text in texts if text in (F["text"], G["text"])] == [F["text"], G["text"]]


@given(st.integers(1, 200))
def test_a_list_that_is_cut_anywhere_is_never_a_complete_review(cut: int) -> None:
    raw = json.dumps([F, G, {**F, "text": "third"}])[:-1]
    made = extract(raw[: min(cut, len(raw))])
    assert made.unparsable
    assert [dict(item) for item in made.items] == [F, G, {**F, "text": "third"}][: len(made.items)]


@pytest.mark.parametrize(
    "unit",
    ["[", "{", "[{", '["', '{"a":', '[{"file":"', '[{"a":"\\', "[/*", "[//", "[1,{'a':[", '["[1,//",', "```\n",
     "[]\n", "<think>", "</think>", '[{"file": bad},', json.dumps(F), json.dumps(F) + " oops ",
     "[" + json.dumps(F) + ",", "[\n{'file':x,\n", '[{"text":"x" ', '{"text":\'', '["\\" [', "“", "[1,",
     '{"findings":['],
)  # fmt: skip
def test_the_work_grows_with_the_text_and_no_faster(unit: str) -> None:
    """Measured in calls of functions, which no other load on the machine changes, and in characters looked at."""
    small, large = (calls(unit * (size // len(unit))) for size in (8_000, 32_000))
    assert large <= 6 * small + 2_000


@pytest.mark.parametrize("unit", ["[1,", '{"a":', json.dumps(F), json.dumps([F]), "{“a”: ", "[1,{'a':["])
def test_no_more_than_so_many_values_are_looked_at(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar, "MOST_VALUES", 300)
    some, twice = (calls(unit * (size // len(unit))) for size in (30_000, 60_000))
    assert twice <= 1.05 * some + 500
    made = extract(json.dumps([F]) + "\n" + unit * (30_000 // len(unit)))
    assert "tangle" in (made.unparsable or "")
    assert F in map(dict, made.items)


@pytest.mark.parametrize("mend", [False, True])
def test_reading_stops_when_too_much_was_looked_at(mend: bool) -> None:
    reader = Reader("[1]" * 10, mend=mend)
    assert reader.read(0) is not None
    reader.spent = reader.budget + 1
    assert reader.read(3) is None


def test_a_tangle_is_said_to_be_one_and_what_stood_before_it_is_kept() -> None:
    made = extract(json.dumps([F]) + "[{" * 20_000)
    assert (list(made.items), "tangle" in (made.unparsable or "")) == ([F], True)
    assert "1,000,001 characters" in (extract("x" * 1_000_001).unparsable or "")


def calls(text: str) -> int:
    count = 0

    def seen(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        extract(text)
    finally:
        sys.setprofile(before)
    return count
