"""A table as Parquet, with types."""

from __future__ import annotations

import io
from typing import Any

from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.exports.tables import Table


def parquet_bytes(table: Table) -> bytes:
    """Texts as strings, several ids as a list of strings; what is not known is null.

    Raises `SettingsError` when pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise SettingsError("--parquet needs pyarrow: pip install 'pytest-reviewbench[parquet]'") from None
    kinds: dict[str, Any] = {
        "text": pa.string(),
        "texts": pa.list_(pa.string()),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
    }
    columns = list(zip(*table.rows, strict=True)) or [() for _ in table.columns]
    made = pa.table(
        [pa.array(values, kinds[kind]) for values, (_, kind) in zip(columns, table.columns, strict=True)],
        names=[name for name, _ in table.columns],
    )
    sink = io.BytesIO()
    pq.write_table(made, sink)
    return sink.getvalue()
