"""The form as a table, also after a spreadsheet has had it."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_reviewbench.adjudicate.items import Item
from pytest_reviewbench.adjudicate.table import read_table, write_table
from pytest_reviewbench.errors import FormatError
from pytest_reviewbench.model import Bug
from pytest_reviewbench.spreadsheet import bare, guarded


def read(text: str, encoding: str = "utf-8") -> list[tuple[str, str, tuple[int, ...], str]]:
    return [(row.item, row.verdict, row.numbers, row.why) for row in read_table(text.encode(encoding), "f.csv")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_what_a_spreadsheet_saves_is_read(encoding: str, delimiter: str) -> None:
    rows = [
        ["item", "verdict", "bugs", "why"],
        ["a", "GT same", "2, 1", 'one\r\ntwo; three, "four"'],
        ["b", "", "", ""],
    ]
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    assert read(out.getvalue(), encoding) == [("a", "gt_same", (1, 2), 'one\r\ntwo; three, "four"')]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("a,maybe,,", "line 2 (item a): the verdict 'maybe' is none of gt_same, real"),
        ("a,real,1,", "line 2 (item a): real names no known bugs"),
        ("a,gt_same,b1,", "line 2 (item a): bugs: 'b1' are no numbers"),
        (",real,,", "line 2: has no item"),
        ("a,,,because", "line 2 (item a): has bugs or a why, and no verdict"),
    ],
)
def test_a_mistake_in_a_row_is_named_with_its_line(row: str, said: str) -> None:
    with pytest.raises(FormatError) as e:
        read(f"item,verdict,bugs,why\n{row}\n")
    assert said in str(e.value)


def test_a_table_without_the_header_is_refused() -> None:
    with pytest.raises(FormatError, match="names no column 'item'"):
        read("a,real,,\n")


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(FormatError, match="not UTF-8 at byte 0"):
        [*read_table(b"\xffitem,verdict", "f.csv")]


@given(st.text(alphabet="=+-@'\t\rab", max_size=6))
def test_no_cell_is_a_formula_and_the_guard_can_be_undone(cell: str) -> None:
    assert not guarded(cell).startswith(("=", "+", "-", "@", "\t", "\r"))
    assert bare(guarded(cell)) == cell


def test_the_export_holds_no_formula_of_a_reviewer() -> None:
    item = Item("a", "c", "=x.py", 1, None, '=HYPERLINK("http://x")', "+1", "", (Bug(match="m", bug="@SUM(1)"),))
    (row,) = csv.DictReader(io.StringIO(write_table([item], "0" * 64).removeprefix("\ufeff")))
    assert (row["text"], row["file"], row["code"]) == ('\'=HYPERLINK("http://x")', "'=x.py", "'+1")
    assert not [cell for cell in row.values() if cell.startswith(("=", "+", "-", "@"))]


@given(st.binary(max_size=200))
def test_any_bytes_are_rows_or_one_clear_error(raw: bytes) -> None:
    try:
        rows = [*read_table(b"item,verdict\n" + raw, "f.csv")]
    except FormatError:  # and nothing else
        return
    assert all(row.item for row in rows)
