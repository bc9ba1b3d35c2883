"""A run as one value."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import pytest_reviewbench
from pytest_reviewbench import LoadedRun, load_run
from pytest_reviewbench.errors import RunError
from tests.unit.exports.making import REASON, exported_run
from tests.unit.runs.making import make_run, matches, review

DOCS = Path(__file__).parent.parent.parent.parent / "docs" / "formats.md"


def test_a_run_is_read_whole_in_the_order_of_its_cases(tmp_path: Path) -> None:
    run = load_run(exported_run(tmp_path).path)
    assert isinstance(run, LoadedRun)
    assert [one.case for one in run] == list(run.reviews) == list(run.manifest.cases) == ["a1", "a2", "a3"]
    assert (len(run), run.complete, run.name) == (3, True, run.path.name)
    assert run.matches["a1"].hits == {"f1": ("b1", "b2")}
    assert {name: one.verdict for name, one in run.verdicts["judge-x"]["a1"].items()} == {
        "f1": "gt_same",
        "f2": "not_a_bug",
        "f3": "not_a_bug",
    }
    assert list(run.verdicts["judge-x"]) == ["a1"]


def test_a_run_can_be_printed_without_what_a_verifier_said(tmp_path: Path) -> None:
    run = load_run(str(exported_run(tmp_path).path))
    assert run.verdicts["judge-x"]["a1"]["f1"].reason == REASON
    assert REASON not in repr(run)
    assert run.name in repr(run)


def test_what_is_no_finished_run_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="not a run folder"):
        load_run(tmp_path)
    unfinished = make_run(tmp_path)
    unfinished.write_review(review("a2"), matches("a2"), "")
    with pytest.raises(RunError, match="not complete"):
        load_run(unfinished.path)
    run = load_run(unfinished.path, partial=True)
    assert ([one.case for one in run], run.complete) == (["a2"], False)


def test_the_example_of_the_docs_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(
        r"```python\n(from pytest_reviewbench import load_run\n.*?)```", DOCS.read_text(), re.DOTALL
    )
    scope: dict[str, Any] = {}
    exec(example.replace("RUN", str(exported_run(tmp_path).path)), scope)
    assert capsys.readouterr().out.splitlines()[0] == "a1 ok 3 2"


def test_the_package_has_no_other_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'load_runs'"):
        pytest_reviewbench.load_runs  # noqa: B018
