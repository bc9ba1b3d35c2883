"""Which reviews a verifier is asked about."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from pytest_reviewbench.model import Finding
from pytest_reviewbench.verify.stage import plan
from tests.unit.runs.making import make_run, review


def test_nobody_judges_what_is_said_of_a_twin(tmp_path: Path) -> None:
    run = make_run(tmp_path, cases=("a1", "a1.twin"))
    for case in ("a1", "a1.twin"):
        run.write_review(review(case, findings=(Finding(id="f", text="it breaks"),)), None, "")
    assert [todo.case for todo in plan([run], [SimpleNamespace(id="judge-x")])] == ["a1"]
