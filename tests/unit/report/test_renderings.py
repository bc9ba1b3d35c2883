"""The report as a person sees it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from pytest_reviewbench import codec
from pytest_reviewbench.model import BugFact
from pytest_reviewbench.report.build import arm_report
from pytest_reviewbench.report.cells import quantity, ratio
from pytest_reviewbench.report.document import GateRow, Report, RunRef
from pytest_reviewbench.report.junit import add_suite_properties, suite_properties
from pytest_reviewbench.report.markdown import markdown
from pytest_reviewbench.report.progress import progress_printer
from pytest_reviewbench.report.tables import build_tables
from pytest_reviewbench.report.terminal import WIDTH, terminal_lines
from pytest_reviewbench.scoring.outcomes import Outcome


def outcomes(cases: int, lang: str = "python") -> list[Outcome]:
    bug = BugFact(id="b1", severity="high")
    return [
        Outcome(
            case=f"case-{n:04}" + "x" * 50,
            rep=1,
            status="ok" if n % 5 else "not_attempted",
            lang=lang,
            bugs=(bug,),
            findings=("f1", "f2"),
            hits={"f1": ("b1",)} if n % 2 else {},
            cost_usd=1234.56789 * n,
            cost_source="priced",
            seconds=86_399.9,
        )
        for n in range(cases)
    ]


def made_report(arms: dict[str, list[Outcome]], **changes: object) -> Report:
    values: dict[str, object] = {
        "kind": "review",
        "corpus_sha256": "a" * 64,
        "split": "test",
        "absent": 3,
        "partial": False,
        "missing": (),
        "runs": tuple(
            RunRef(name=f"{arm}-1-x", arm=arm, rep=1, complete=True, cases=1, scope="file", sandbox="none")
            for arm in arms
        ),
        "arms": {arm: arm_report(rows, {}) for arm, rows in arms.items()},
        "original": (),
        **changes,
    }
    return Report(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize("arms", [1, 2, 6, 20])
def test_the_terminal_report_stays_within_its_width(arms: int) -> None:
    report = made_report({f"a-rather-long-arm-name-{n}": outcomes(60, lang="x" * 40) for n in range(arms)})
    lines = list(terminal_lines(report, every_row=True))
    assert max(map(len, lines)) <= WIDTH
    assert "more rows" not in "\n".join(lines)


def test_a_long_table_is_cut_with_a_line_that_says_where_the_rest_is() -> None:
    lines = list(terminal_lines(made_report({"a": outcomes(60)})))
    assert "  … 20 more rows in report.md" in lines


def test_brief_is_the_headline_only() -> None:
    text = "\n".join(terminal_lines(made_report({"a": outcomes(3)}), brief=True))
    assert "Bugs found" in text
    assert "By case" not in text


def test_what_is_not_measured_is_not_a_number() -> None:
    report = made_report({"a": [Outcome(case="c", rep=1, status="error", reason="x")]})
    assert report.arms["a"].numbers["recall_strict"] is None
    assert ratio(None) == "-"
    assert quantity(None) == "-"
    headline = next(build_tables(report))
    assert headline.rows[0][:4] == ("a", "0/0", "-", "0/0")
    assert ("reviewbench.a.recall_strict", "null") in list(suite_properties(report))


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0"), (2, "2"), (2.0, "2"), (0.5, "0.5"), (1 / 3, "0.33"), (10.0, "10"), (100, "100")]
)
def test_quantities_keep_their_zeros(value: float, shown: str) -> None:
    assert quantity(value) == shown


def test_markdown_cells_stay_text() -> None:
    gate = GateRow(gate="fail-under <b>x|y</b>=1", arm="a", value=None, held=False, said="not measured")
    text = markdown(made_report({"a": outcomes(1)}, gates=(gate,)))
    assert r"\<b\>x\|y\</b\>" in text
    table = [line for line in text.splitlines() if line.startswith("|") and "fail-under" in line]
    assert len(re.findall(r"(?<!\\)\|", table[0])) == 5


def test_markdown_has_every_case_however_many() -> None:
    text = markdown(made_report({"a": outcomes(60)}))
    assert all(f"case-{n:04}" in text for n in range(60))


def test_a_partial_report_says_so_in_every_rendering() -> None:
    report = made_report({"a": outcomes(2)}, partial=True, missing=("a-1-x: c (not_run)",))
    assert "PARTIAL: 1 reviews have no record" in "\n".join(terminal_lines(report))
    assert "**Partial: 1 reviews have no record" in markdown(report)
    assert ("reviewbench.partial", "true") in list(suite_properties(report))


def test_suite_properties_go_to_whoever_collects_them() -> None:
    class Collector:
        def __init__(self) -> None:
            self.found: list[tuple[str, str]] = []

        def add_global_property(self, name: str, value: str) -> None:
            ElementTree.Element("property", name=name, value=value)
            self.found.append((name, value))

    collector = Collector()
    report = made_report({"a": outcomes(4)})
    add_suite_properties(report, [object(), collector])
    assert collector.found == list(suite_properties(report))


def test_report_json_reads_back_as_it_was() -> None:
    report = made_report({"a": outcomes(4)})
    assert codec.decode(codec.encode(report), Report, "report.json") == report


def test_progress_is_a_line_now_and_then_and_one_at_the_end() -> None:
    lines: list[str] = []
    times = iter([0.0, 0.0, 0.1, 5.0, 5.0, 5.1, 5.1])
    say = progress_printer(lines.append, lambda: next(times))
    for done in range(4):
        say(done, 4, f"a\n{done}")
    say(4, 4, "all")
    assert [line.rpartition(": ")[2] for line in lines] == ["a 0", "a 2", "all"]
