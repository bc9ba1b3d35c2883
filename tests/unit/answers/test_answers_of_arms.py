"""What an arm hands over becomes a record, whatever it is: an arm may be anybody's code."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.arm_spec import ArmSpec
from pytest_reviewbench.arms.protocol import Answer, BuiltArm
from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.corpus.shown import show
from pytest_reviewbench.model import Review, Scope, Usage
from pytest_reviewbench.reviewing import MOST_FINDINGS, MOST_WARNINGS, Means, review_once
from pytest_reviewbench.runs.folder import RunFolder
from tests.samples import HIT, OTHER, write_case


class Foreign:
    """An arm that answers what it was made with."""

    scope: Scope
    versions: Mapping[str, str | None] = {}

    def __init__(self, said: Any, scope: Scope = "file") -> None:
        self._said = said
        self.scope = scope

    def answer(self, _question: object) -> Any:
        return self._said


def search(pattern: str, text: str) -> bool:
    return bool(re.search(pattern, text, re.IGNORECASE))


def reviewed(tmp_path: Path, said: Any, context: Mapping[str, str] | None = None, scope: Scope = "file") -> Review:
    """The stored record of the answer `said` to the usual case."""
    write_case(tmp_path / "corpus", "py-1", context=context)
    case = load_corpus(tmp_path / "corpus", None).cases["py-1"]
    run = RunFolder(tmp_path / "run")
    run.path.mkdir()
    built = BuiltArm(ArmSpec(name="foreign", family="foreign"), Foreign(said, scope))
    review_once(run, built, 1, case, Means(lambda shown: show(shown, None), search))
    stored = run.review("py-1")
    assert stored is not None
    return stored


@pytest.mark.parametrize(
    "said",
    [
        None,
        "[]",
        Answer(items=["off by one"]),  # type: ignore[list-item]
        Answer(items=7),  # type: ignore[arg-type]
        Answer(items=[HIT], raw=None),  # type: ignore[arg-type]
        Answer(items=[HIT], cost_usd=math.nan),
        Answer(items=[HIT], cost_usd=-1),
        Answer(items=[HIT], cost_source="guessed"),  # type: ignore[arg-type]
        Answer(items=[HIT], usage=Usage(input_tokens=-5)),
        Answer(items=[HIT], model=7),  # type: ignore[arg-type]
    ],
    ids=lambda said: repr(said)[:60],
)
def test_an_answer_that_breaks_the_contract_is_an_error_of_this_review(tmp_path: Path, said: Any) -> None:
    stored = reviewed(tmp_path, said)
    assert stored.status == "error"
    assert stored.error is not None
    assert stored.error.kind == "arm"
    assert stored.findings == ()


def test_hostile_values_in_an_item_do_not_lose_the_review(tmp_path: Path) -> None:
    stored = reviewed(tmp_path, Answer(items=[{**HIT, "line": 10**5000, "severity": math.nan, "file": "\ud83d"}]))
    assert (stored.status, len(stored.findings), len(stored.warnings)) == ("ok", 1, 2)
    assert stored.findings[0].file == "\ufffd"


def test_items_without_any_text_are_unparsable_and_some_are_a_warning(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "some").mkdir()
    assert reviewed(tmp_path / "none", Answer(items=[{"message": "x"}, {}])).status == "unparsable"
    some = reviewed(tmp_path / "some", Answer(items=[HIT, {}, OTHER]))
    assert (some.status, len(some.findings), some.warnings) == ("ok", 2, ("item 1: no text, left out",))


def test_salvaged_items_of_an_unparsable_answer_are_kept(tmp_path: Path) -> None:
    stored = reviewed(tmp_path, Answer(items=[HIT], unparsable="cut in the middle"))
    assert (stored.status, len(stored.findings)) == ("unparsable", 1)


def test_a_folder_called_b_in_the_tree_is_no_prefix_of_a_diff(tmp_path: Path) -> None:
    """pub-029 from end to end: the tree holds b/pkg/, so b/pkg/a.py is not the changed pkg/a.py."""
    tree = {"pkg/a.py": "one\n", "b/pkg/other.py": "two\n"}
    stored = reviewed(tmp_path, Answer(items=[{**HIT, "file": "b/pkg/a.py"}]), tree)
    assert stored.findings[0].file == "b/pkg/a.py"
    matches = RunFolder(tmp_path / "run").matches("py-1")
    assert matches is not None
    assert matches.hits == {}


def test_no_finding_in_scope_is_lost_behind_thousands_outside_of_it(tmp_path: Path) -> None:
    outside = [{**OTHER, "line": 1_000 + n} for n in range(MOST_FINDINGS + 500)]
    stored = reviewed(tmp_path, Answer(items=[*outside, HIT]), scope="hunks")
    assert [finding.text for finding in stored.findings] == [HIT["text"]]
    assert stored.warnings == (f"{len(outside)} findings outside the change left out (scope hunks)",)


def test_more_findings_than_anybody_reads_are_cut_with_a_warning(tmp_path: Path) -> None:
    stored = reviewed(tmp_path, Answer(items=[{"text": f"boom {n}"} for n in range(MOST_FINDINGS + 5)]))
    assert len(stored.findings) == MOST_FINDINGS
    assert stored.warnings == (f"only the first 5000 of {MOST_FINDINGS + 5} findings are kept and counted",)


def test_warnings_that_are_left_out_are_counted(tmp_path: Path) -> None:
    stored = reviewed(tmp_path, Answer(items=[*[{}] * 60, HIT]))
    assert len(stored.warnings) == MOST_WARNINGS
    assert stored.warnings[-1] == "11 more warnings"
