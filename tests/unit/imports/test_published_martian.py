"""The published table of Martian's benchmark, by our report over the imported rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.cli.imports.martian import martian
from pytest_reviewbench.report.build import build_report
from pytest_reviewbench.report.document import ArmReport, Report
from pytest_reviewbench.runs.folder import list_runs
from tests.shared import made_once

DATA = Path(__file__).parents[4] / "shared" / "data" / "public" / "martian"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"the public data is not at {DATA}")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    made = made_once(tmp_path_factory, "martian", lambda folder: martian(DATA, folder / "corpus", folder / "runs"))
    return build_report([*list_runs(made / "runs")])


def published(name: str) -> Any:
    return json.loads((DATA / name).read_text())


def test_the_published_table_comes_out_to_the_printed_digit(report: Report) -> None:
    rows = {row["arm"]: row for row in report.leaderboard}
    table = published("expected_opus.json")["table"]
    assert len(table) == 12
    assert rows.keys() == table.keys()
    for tool, expected in table.items():
        assert {key: rows[tool][key] for key in expected} == expected, tool


def test_languages_come_out_too(report: Report) -> None:
    expected = published("opus_by_language.json")
    assert len(expected) == 5
    for lang, tools in expected.items():
        for tool, counts in tools.items():
            assert counted(report.arms[tool].by_language[lang.lower()]) == counts, (lang, tool)


def test_what_was_derived_from_the_rows_comes_out_by_named_numbers(report: Report) -> None:
    for tool, expected in published("derived_opus.json")["per_judge"]["opus"].items():
        assert derived(report.arms[tool]) == expected, tool


def test_the_paired_bootstrap_of_five_pairs_comes_out_within_its_tolerance(report: Report) -> None:
    expected = published("paired_bootstrap_opus.json")
    pairs = {(pair.a, pair.b): pair.numbers for pair in report.pairs}
    assert len(expected["diffs"]) == 5
    for names, row in expected["diffs"].items():
        first, second = names.split("-")
        turned = (first, second) not in pairs
        numbers = pairs[(second, first) if turned else (first, second)]
        for name, word in (("recall_adjudicated", "recall"), ("precision_bugs_judged", "precision")):
            found = numbers[name]
            assert found.interval is not None
            ends = [found.interval.low, found.interval.high]
            value, (low, high) = (found.value or 0), ends
            if turned:
                value, low, high = -value, -high, -low
            assert value == pytest.approx(row[f"{word}_diff"], abs=0.0001), names
            assert [low, high] == pytest.approx(row[f"{word}_ci"], abs=expected["tolerance"]), names


def test_the_odd_shapes_are_counted(report: Report) -> None:
    sums = {
        name: sum(arm.numbers[name] or 0 for arm in report.arms.values())
        for name in ("empty", "chatter", "findings_on_several_bugs", "duplicates_judged", "used", "findings")
    }
    assert sums == {
        "empty": 102,
        "chatter": 21,
        "findings_on_several_bugs": 27,
        "duplicates_judged": 27,
        "used": 600,
        "findings": 1735,
    }
    assert {arm.numbers["recall_strict"] for arm in report.arms.values()} == {None}


def test_the_intervals_of_paired_differences_come_out_within_the_tolerance(report: Report) -> None:
    expected = published("paired_bootstrap_opus.json")
    pairs = {(pair.a, pair.b): pair.numbers for pair in report.pairs}
    assert len(expected["diffs"]) == 5
    for name, diff in expected["diffs"].items():
        a, b = name.split("-")
        sign, numbers = (1, pairs[a, b]) if (a, b) in pairs else (-1, pairs[b, a])
        for ours, theirs in (("recall_adjudicated", "recall"), ("precision_bugs_judged", "precision")):
            made = numbers[ours]
            assert made.value is not None
            assert made.interval is not None
            bounds = sorted((sign * made.interval.low, sign * made.interval.high))
            assert sign * made.value == pytest.approx(diff[f"{theirs}_diff"], abs=5.1e-5), (name, ours)
            assert bounds == pytest.approx(diff[f"{theirs}_ci"], abs=expected["tolerance"]), (name, ours)


def counted(n: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "tp": n["bugs_named"],
        "fp": n["findings_judged"] - n["gt_same"],
        "fn": n["bugs_judged"] - n["bugs_named"],
    }


def derived(arm: ArmReport) -> dict[str, Any]:
    n: Any = arm.numbers
    best = n["gt_same"] - n["duplicates_judged"]
    severities: Any = arm.by_severity
    return {
        "recall_by_severity": {
            name.title(): {
                "hit": s["bugs_named"],
                "n": s["bugs_judged"],
                "recall": round(s["recall_adjudicated"], 4),
            }
            for name, s in severities.items()
        },
        "findings": n["findings"],
        "findings_best_match": best,
        "findings_superseded": n["duplicates_judged"],
        "finding_level_precision_strict": round(best / n["findings"], 4),
        "finding_level_precision_lenient": round(n["precision_verified"], 4),
        "macro_recall": round(n["macro_recall_judged"], 4),
        "macro_precision_zero_as_0": round(n["macro_precision_judged_all"], 4),
        "macro_precision_nonempty": round(n["macro_precision_judged"], 4),
        "n_nonempty": n["used"] - n["empty"],
    }
