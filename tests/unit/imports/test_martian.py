"""A benchmark of golden comments as a corpus and finished runs, in its format and with our own words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench import codec
from pytest_reviewbench.cli.imports.martian import martian
from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.errors import CorpusError, FormatError
from pytest_reviewbench.report.build import build_report
from pytest_reviewbench.report.document import Report
from pytest_reviewbench.runs.folder import RunFolder, list_runs
from tests.unit.imports.benchmarks import AGAIN, ONE, TWO, martian_rows, write_martian


def imported(tmp_path: Path, name: str = "one", **keys: Any) -> tuple[list[RunFolder], Report]:
    folder = write_martian(tmp_path / name, **keys)
    martian(folder, tmp_path / f"{name}-corpus", tmp_path / f"{name}-runs")
    runs = [*list_runs(tmp_path / f"{name}-runs")]
    return runs, build_report(runs)


def test_rows_become_finished_runs_with_verdicts(tmp_path: Path) -> None:
    runs, report = imported(tmp_path)
    assert [(run.manifest().arm, run.complete) for run in runs] == [("finder", True), ("quiet", True)]
    assert report.verifier == "imported-maker_judge-1"
    finder, quiet = report.leaderboard
    assert finder == {
        "arm": "finder",
        "counted_by": "verifier",
        "num_prs": 3,
        "errors": 0,
        "tp": 3,
        "fp": 2,
        "fn": 1,
        "total_candidates": 5,
        "precision": 60.0,
        "recall": 75.0,
        "f1": 66.7,
        "precision_over_candidates": 60.0,
    }
    assert (quiet["num_prs"], quiet["errors"], quiet["tp"], quiet["fn"], quiet["precision"]) == (1, 1, 0, 2, 0.0)


def test_the_odd_shapes_of_findings_have_numbers(tmp_path: Path) -> None:
    _, report = imported(tmp_path)
    n = report.arms["finder"].numbers
    names = ("findings_on_several_bugs", "duplicates_judged", "chatter", "empty", "gt_same", "unverifiable")
    assert [n[name] for name in names] == [1, 1, 1, 0, 3, 2]
    assert [n[name] for name in ("recall_strict", "precision_strict", "matcher_misses", "cost_usd")] == [None] * 4
    assert (n["real"], n["not_a_bug"]) == (0, 0)
    assert n["macro_recall_judged"] == pytest.approx(2 / 3)
    assert n["macro_precision_judged"] == pytest.approx((2 / 3 + 1 + 0) / 3)
    assert report.arms["quiet"].numbers["empty"] == 1
    assert report.arms["finder"].by_language["java"]["bugs_named"] == 2
    assert report.arms["finder"].by_severity["critical"]["recall_adjudicated"] == 1.0
    assert report.arms["finder"].by_severity["critical"]["recall_strict"] is None


def test_what_gave_way_is_a_duplicate_of_no_bug_in_particular(tmp_path: Path) -> None:
    runs, _ = imported(tmp_path)
    review = runs[0].review("pr-0001")
    assert review is not None
    (again,) = [finding.id for finding in review.findings if finding.text == AGAIN]
    (record,) = runs[0].verdicts("imported-maker_judge-1")["pr-0001"]
    assert (record.verdicts[again].verdict, record.verdicts[again].bugs) == ("gt_same", ())


def test_an_error_of_a_row_is_an_error_and_no_row_is_not_run(tmp_path: Path) -> None:
    runs, report = imported(tmp_path)
    by_case = {row.case: (row.status, row.reason) for row in report.arms["quiet"].cases}
    assert by_case["pr-0001"] == ("ok", None)
    assert by_case["pr-0002"] == ("error", "the benchmark has 1 errors for it: HTTP 500")
    assert by_case["pr-0003"] == ("not_run", "the benchmark has no row for it")
    assert runs[1].verdicts("imported-maker_judge-1").keys() == {"pr-0001"}


def test_the_order_of_anything_moves_nothing(tmp_path: Path) -> None:
    one, report = imported(tmp_path)
    other, turned = imported(tmp_path, "other", backwards=True)
    for a, b in zip(one, other, strict=True):
        for kind in ("reviews", "matches", "verdicts/imported-maker_judge-1"):
            files = {path.name: path.read_bytes() for path in (a.path / kind).glob("*.json")}
            assert files == {path.name: path.read_bytes() for path in (b.path / kind).glob("*.json")}
            assert files
    assert codec.encode(report.arms) == codec.encode(turned.arms)
    assert report.corpus_sha256 == turned.corpus_sha256


def test_the_cases_say_where_they_are_from_and_show_no_change(tmp_path: Path) -> None:
    imported(tmp_path)
    corpus = load_corpus(tmp_path / "one-corpus", None)
    meta = corpus.cases["pr-0002"].meta
    assert (meta.url, meta.upstream, meta.licence, meta.lang) == (TWO, "shop", "MIT", "c")
    assert meta.no_change
    assert [corpus.cases[case].truth.judged_only for case in corpus.cases] == [True] * 3
    assert {case.split for case in corpus.cases.values()} == {"train"}
    assert corpus.warnings == ()


def test_a_second_import_finds_its_corpus_and_another_ones_is_refused(tmp_path: Path) -> None:
    imported(tmp_path)
    martian(tmp_path / "one", tmp_path / "one-corpus", tmp_path / "again")
    (tmp_path / "one-corpus" / "pr-0001" / "meta.json").write_text("{}")
    with pytest.raises(CorpusError, match="is there already, with something else in it"):
        martian(tmp_path / "one", tmp_path / "one-corpus", tmp_path / "again")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda rows: rows | {"https://example.org/other/pull/9": {}}, "no golden comments know this pull request"),
        (lambda rows: rows | {ONE: {"finder": []}}, "expected an object"),
        (lambda rows: rows | {ONE: {"finder": rows[ONE]["finder"] | {"true_positives": None}}}, "expected a list"),
        (lambda rows: rows | {TWO: {"finder": rows[ONE]["finder"]}}, "is none of the golden comments"),
        (lambda rows: rows | {ONE: {"::": rows[ONE]["finder"]}}, "cannot be made a name"),
        (lambda rows: [rows], r"\$: expected an object"),
    ],
)
def test_what_cannot_be_read_is_one_line_with_its_place(tmp_path: Path, spoil: Any, said: str) -> None:
    folder = write_martian(tmp_path / "b")
    place = folder / "results" / "maker_judge-1" / "evaluations.json"
    place.write_bytes(codec.encode(spoil(martian_rows())))
    with pytest.raises(FormatError, match=said) as e:
        martian(folder, tmp_path / "corpus", tmp_path / "runs")
    assert "evaluations.json: $" in str(e.value)
    assert not (tmp_path / "corpus").exists()
    assert not (tmp_path / "runs").exists()


def test_a_folder_without_golden_comments_and_an_unknown_judge_are_said(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="golden_comments: has no"):
        martian(tmp_path, tmp_path / "corpus", tmp_path / "runs")
    with pytest.raises(FormatError, match="has no judge 'nobody'; it has maker_judge-1"):
        martian(write_martian(tmp_path / "b"), tmp_path / "corpus", tmp_path / "runs", ["nobody"])
