"""What the page holds, what it keeps back, and that nothing in it is taken for markup."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchmarks.page_sample import book, make_sample
from pytest_reviewbench.report.build import build_report
from pytest_reviewbench.report.page.figures import forest, money, nice, scatter, signed
from pytest_reviewbench.report.page.patch_rows import MOST_LINES, drawn
from pytest_reviewbench.report.page.telling import no_book
from pytest_reviewbench.report.page.transcript import excerpt
from pytest_reviewbench.report.page.visible import visible
from pytest_reviewbench.report.page.writing import embedded, write_page
from pytest_reviewbench.runs.folder import RunFolder
from tests.samples import PATCH

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\u2028\u202eabc"
REASON = "It names the mechanism"
EXAMPLE = "Would count"
BUG_WORDS = "Bytes are decoded with the locale's encoding."


@pytest.fixture(scope="module", name="sample")
def _sample(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[RunFolder]]:
    folder = tmp_path_factory.mktemp("sample")
    return folder, make_sample(folder, 12, arms=("tools", "plain", "house-linter"))


def written(sample: tuple[Path, list[RunFolder]], *, reveal: bool = False, **changes: Any) -> str:
    folder, runs = sample
    report = msgspec.structs.replace(build_report(runs), **changes)
    write_page(folder / "report.html", report, runs, book(folder), reveal=reveal)
    return (folder / "report.html").read_text(encoding="utf-8")


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_test_cases_keep_bugs_and_reasons_until_they_are_asked_for(sample: tuple[Path, list[RunFolder]]) -> None:
    hidden, shown = written(sample), written(sample, reveal=True)
    sides = {e["id"]: e["split"] for e in json.loads((sample[0] / "corpus" / "manifest.json").read_text())}
    for page, tells in ((hidden, ("train",)), (shown, ("train", "test"))):
        data = data_of(page)
        for case, reviews in zip(data["cases"], data["reviews"], strict=True):
            told = sides[case["id"]] in tells
            assert case["told"] == told
            assert ("truth" in case) == told
            verdicts = [v for arm in reviews for r in arm for f in r.get("findings", ()) for v in f["verdicts"]]
            assert all(("reason" in verdict) == told for verdict in verdicts)
    assert "Of 8 test cases the bugs and the reasons of verdicts are hidden" in hidden
    assert "are hidden, so that" not in shown
    assert any(
        "reason" in v
        for arms in data_of(shown)["reviews"]
        for a in arms
        for r in a
        for f in r.get("findings", ())
        for v in f["verdicts"]
    )


def test_no_page_holds_a_regex(sample: tuple[Path, list[RunFolder]]) -> None:
    assert '"match"' not in written(sample, reveal=True)


def test_a_case_whose_side_nobody_knows_is_a_test_case(sample: tuple[Path, list[RunFolder]]) -> None:
    folder, runs = sample  # over both sides of the split, as the manifest says
    write_page(folder / "alone.html", build_report(runs), runs, no_book("there is no corpus here"))
    page = (folder / "alone.html").read_text()
    assert all(not case["told"] for case in data_of(page)["cases"])
    assert REASON not in page
    assert page.count("Changes are not shown: there is no corpus here") == 1
    assert {case["why"] for case in data_of(page)["cases"]} == {"there is no corpus here"}


def test_an_unknown_cost_has_no_point(sample: tuple[Path, list[RunFolder]]) -> None:
    drawing = scatter(build_report(sample[1]))
    assert [point["arm"] for point in drawing["points"]] == ["tools", "plain"]
    assert [one["arm"] for one in drawing["unknown"]] == ["house-linter"]
    assert "not drawn" in written(sample)


def test_differences_share_an_axis_with_zero_in_its_middle(sample: tuple[Path, list[RunFolder]]) -> None:
    report = build_report(sample[1])
    drawing = forest(report.pairs, "recall_strict")
    assert len(drawing["rows"]) == 3
    assert drawing["zero"] == 160
    for row in drawing["rows"]:
        value = row["difference"].value
        assert (row["mark"]["value"] > 160) == (value > 0)
        assert 0 <= row["mark"]["low"] <= row["mark"]["value"] <= row["mark"]["high"] <= 320
    assert forest((), "recall_strict")["rows"] == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tainted_counted": True}, "TAINTED REVIEWS ARE COUNTED"),
        ({"partial": True, "missing": ("plain-1: x",)}, "PARTIAL: 1 reviews have no record"),
        ({"own_model": ("plain",)}, "JUDGED BY THEIR OWN MODEL: plain"),
    ],
)
def test_what_must_not_be_overlooked_stands_first(
    sample: tuple[Path, list[RunFolder]], change: dict[str, Any], said: str
) -> None:
    page = written(sample, **change)
    assert said in page
    assert page.index(said) < page.index('id="summary"')
    assert "Read this first" not in written(sample)


def test_runs_that_were_not_contained_or_not_finished_say_so_first(sample: tuple[Path, list[RunFolder]]) -> None:
    first, *others = build_report(sample[1]).runs
    odd = msgspec.structs.replace(first, complete=False, uncontained=HOSTILE)
    page = written(sample, runs=(odd, *others))
    assert page.index("NOT CONTAINED") < page.index("NOT COMPLETE") < page.index('id="summary"')
    assert "<img" not in page


def test_a_report_without_pairs_and_intervals_renders(sample: tuple[Path, list[RunFolder]]) -> None:
    made = build_report(sample[1])
    bare = {
        name: msgspec.structs.replace(arm, intervals={}, by_class={}, by_date={}) for name, arm in made.arms.items()
    }
    page = written(sample, pairs=(), frontier=(), arms=bare)
    assert 'id="differences"' not in page
    assert "no interval" in page


def test_embedded_json_ends_no_script_and_reads_back() -> None:
    text = str(embedded({HOSTILE: [HOSTILE, "<!--", "&amp;", "\ud800"]}))
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {HOSTILE: [HOSTILE, "<!--", "&amp;", "\ufffd"]}


def test_what_nobody_sees_is_made_visible() -> None:
    assert visible("a\u202eb\u200bc\x1b[0m\td\r\n") == "a⟨U+202E⟩b⟨U+200B⟩c⟨U+001B⟩[0m\td\n"
    assert visible("x" * 5_000).endswith("x … (1,000 more characters)")
    assert visible("grüße, 世界") == "grüße, 世界"


def test_a_change_is_drawn_with_its_numbers_and_bounded() -> None:
    (file,) = drawn(PATCH.encode()).files
    assert file["file"] == "pkg/a.py"
    assert file["hunks"][0]["lines"][1:3] == ["-    return items[len(items) - 1]", "+    return items[len(items)]"]
    long = f"--- a/x\n+++ b/x\n@@ -0,0 +1,{MOST_LINES + 7} @@\n" + "+a\n" * (MOST_LINES + 7)
    assert drawn(long.encode()).left == 7


def test_a_transcript_is_an_excerpt_of_what_was_said(tmp_path: Path) -> None:
    events = [
        {
            "type": "assistant",
            "id": "secret-looking",
            "message": {"content": [{"type": "text", "text": f"word {n}"}]},
        }
        for n in range(90)
    ]
    (tmp_path / "transcripts").mkdir()
    (tmp_path / "transcripts" / "a.jsonl").write_text("\n".join(map(json.dumps, events)))
    steps = excerpt(tmp_path, "a")
    assert len(steps) == 25
    assert steps[0] == ("assistant", "word 0")
    assert steps[-1] == ("assistant", "word 89")
    assert excerpt(tmp_path, "b") == []


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "$0"), (0.00423, "$0.0042"), (1.5, "$1.50"), (1234, "$1,234.00"), (None, "not known")]
)
def test_money_has_the_digits_that_it_needs(value: float | None, shown: str) -> None:
    assert money(value) == shown


def test_numbers_of_axes() -> None:
    assert [nice(x) for x in (0.003, 0.11, 1, 7)] == [0.005, 0.2, 1, 10]
    assert [signed(x) for x in (0.1, -0.0001, -0.25)] == ["+0.100", "0", "\u22120.250"]
