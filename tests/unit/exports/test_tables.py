"""Runs as tables: every review, finding and verdict once, nulls as nulls, and nothing of the truth."""

from __future__ import annotations

import builtins
import csv
import io
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.errors import RunError, SettingsError
from pytest_reviewbench.exports.csv_file import csv_bytes
from pytest_reviewbench.exports.parquet_file import parquet_bytes
from pytest_reviewbench.exports.tables import CASES, FINDINGS, VERDICTS, Table, tables
from tests.unit.exports.making import REASON, exported_run
from tests.unit.runs.making import make_run


def dicts(table: Table) -> list[dict[str, Any]]:
    return [dict(zip((name for name, _ in table.columns), row, strict=True)) for row in table.rows]


def test_the_tables_hold_every_review_finding_and_verdict_once(tmp_path: Path) -> None:
    cases, findings, verdicts = tables([exported_run(tmp_path)])
    rows = {row["case"]: row for row in dicts(cases)}
    assert list(rows) == ["a1", "a2", "a3"]
    a1, a3 = rows["a1"], rows["a3"]
    assert (a1["bugs"], a1["bugs_hit"], a1["findings"], a1["findings_matched"], a1["cost_usd"]) == (2, 2, 3, 1, 0.5)
    assert (a3["status"], a3["reason"], a3["findings"], a3["bugs_hit"], a3["cost_usd"]) == (
        "unparsable", "no JSON", None, None, None,
    )  # fmt: skip
    told = [(r["case"], r["finding"], r["counted"], r["bugs"], r["touches_fix"]) for r in dicts(findings)]
    assert told == [
        ("a1", "f1", True, ("b1", "b2"), True),
        ("a1", "f2", True, (), False),
        ("a1", "f3", True, (), None),
        ("a2", "f1", True, (), None),
        ("a3", "f2", False, None, None),
    ]
    assert [(r["case"], r["finding"], r["verifier"], r["verdict"], r["bugs"]) for r in dicts(verdicts)] == [
        ("a1", "f1", "judge-x", "gt_same", ("b1",)),
        ("a1", "f2", "judge-x", "not_a_bug", ()),
        ("a1", "f3", "judge-x", "not_a_bug", ()),
    ]


def test_no_table_holds_the_reason_of_a_verdict(tmp_path: Path) -> None:
    for table in tables([exported_run(tmp_path)]):
        assert REASON not in csv_bytes(table).decode()
        assert REASON.encode() not in parquet_bytes(table)


def test_a_cell_of_csv_is_no_formula_and_can_be_read_back(tmp_path: Path) -> None:
    _, findings, _ = tables([exported_run(tmp_path)])
    rows = list(csv.DictReader(io.StringIO(csv_bytes(findings).decode(), newline="")))
    assert [row["text"] for row in rows[:3]] == ["'=1+1 {0} is a formula", "''quoted', by\ntwo lines", "outside"]
    assert (rows[0]["bugs"], rows[0]["touches_fix"], rows[0]["line"], rows[1]["line"]) == ("b1;b2", "true", "2", "")


@pytest.mark.parametrize("text", ["=cmd|x", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "  =1", "\uff1d1", "'=1", "'x"])
def test_every_sign_that_begins_a_formula_is_disarmed(text: str) -> None:
    table = Table("findings", (("text", "text"), ("bugs", "texts"), ("line", "int")), [(text, (text,), -1)])
    ((cell, ids, number),) = list(csv.reader(io.StringIO(csv_bytes(table).decode(), newline="")))[1:]
    assert (cell, ids, number) == (f"'{text}", f"'{text}", "-1")


def test_parquet_keeps_types_and_nulls(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow: pip install 'pytest-reviewbench[parquet]'")
    for table in tables([exported_run(tmp_path)]):
        read = pq.read_table(io.BytesIO(parquet_bytes(table)))
        expected = [{k: list(v) if isinstance(v, tuple) else v for k, v in row.items()} for row in dicts(table)]
        assert read.to_pylist() == expected
    for columns in (CASES, FINDINGS, VERDICTS):
        empty = pq.read_table(io.BytesIO(parquet_bytes(Table("x", columns, []))))
        assert (empty.num_rows, empty.column_names) == (0, [name for name, _ in columns])


def test_parquet_without_pyarrow_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **keys: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args, **keys)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(SettingsError, match=r"^--parquet needs pyarrow: pip install"):
        parquet_bytes(Table("cases", CASES, []))


def test_a_run_that_is_not_complete_is_refused_unless_partial(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    with pytest.raises(RunError, match="not complete"):
        tables([run])
    cases, _, _ = tables([run], partial=True)
    assert [(row["case"], row["status"]) for row in dicts(cases)] == [("a1", "not_run"), ("a2", "not_run")]
