"""From runs to a form and back."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.corpus.digest import corpus_sha256
from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.model import Finding, Verdicts
from pytest_reviewbench.report.build import build_report
from pytest_reviewbench.runs.folder import RunFolder
from tests.samples import write_case
from tests.session.calls import reviewbench
from tests.unit.runs.making import make_run, matches, review

HOSTILE = "</script><script>alert(1)</script> the index is past the end"


class Project:
    """Two arms that share a finding of each of two cases; one of them has another one of `a1`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for case in ("a1", "a2"):
            write_case(folder / "corpus", case)
        sha256 = corpus_sha256(load_corpus(folder / "corpus", None))
        runs = folder / ".reviewbench" / "runs"
        self.runs = [make_run(runs, arm=arm, corpus_sha256=sha256) for arm in ("wonderarm", "otherarm")]
        shared = Finding(id="f", file="pkg/a.py", line=2, text=HOSTILE)
        more = Finding(id="g", file="pkg/a.py", line=1, text="=no type")
        for run, found in zip(self.runs, ((shared, more), (shared,)), strict=True):
            run.write_review(review("a1", findings=found), matches("a1"), "")
            run.write_review(review("a2", findings=(shared,)), matches("a2"), "")
            run.finish()

    @property
    def names(self) -> list[str]:
        return [run.name for run in self.runs]

    def exported(self, *more: str) -> list[dict[str, str]]:
        done = reviewbench(self.folder, "adjudicate", "export", *self.names, "--csv", "form.csv", *more)
        assert done.returncode == 0, done.stderr
        with (self.folder / "form.csv").open(encoding="utf-8-sig", newline="") as form:
            return [*csv.DictReader(form)]

    def imported(self, rows: list[dict[str, str]], name: str = "ada") -> Any:
        with (self.folder / "back.csv").open("w", newline="") as out:
            writer = csv.DictWriter(out, [*rows[0]])
            writer.writeheader()
            writer.writerows(rows)
        return reviewbench(self.folder, "adjudicate", "import", "back.csv", *self.names, "--as", name)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def records(run: RunFolder, verifier: str = "human-ada") -> dict[str, Verdicts]:
    return {case: found[-1] for case, found in run.verdicts(verifier).items()}


def test_a_form_holds_each_distinct_finding_once_and_nobody_who_reported_it(project: Project) -> None:
    rows = project.exported("--html", "form.html")
    assert sorted((row["case"], row["text"]) for row in rows) == [
        ("a1", "'=no type"), ("a1", HOSTILE), ("a2", HOSTILE),
    ]  # fmt: skip
    page = (project.folder / "form.html").read_text()
    for text in (json.dumps(rows), page):
        assert not re.search("wonderarm|otherarm|judge-", text)
    assert "The list is read one past its end." in rows[0]["known_bugs"]
    assert ">     2     return items[len(items)]" in next(row["code"] for row in rows if row["text"] == HOSTILE)
    assert "alert(1)</script>" not in page
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert not re.search(r"(src|href)=", page)


def test_the_order_and_a_sample_depend_on_the_seed_alone(project: Project) -> None:
    assert project.exported("--seed=3") == project.exported("--seed=3")
    assert len(project.exported("--sample=2")) == 2
    orders = {tuple(row["item"] for row in project.exported(f"--seed={seed}")) for seed in range(8)}
    assert len(orders) > 1


def test_a_person_is_a_verifier_like_any_other(project: Project) -> None:
    rows = project.exported()
    for row in rows:
        row |= {"verdict": "gt_same" if row["text"] == HOSTILE else "not_a_bug", "why": "I read it"}
    done = project.imported(rows)
    assert (done.returncode, done.stdout) == (
        0, "3 findings labelled by human-ada, 0 open; 4 records written\n",
    )  # fmt: skip
    record = records(project.runs[0])["a1"]
    assert {name: (v.verdict, v.bugs, v.reason) for name, v in record.verdicts.items()} == {
        "f": ("gt_same", ("b1",), "I read it"),
        "g": ("not_a_bug", (), "I read it"),
    }
    assert (record.session, record.cost_usd) == (None, None)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT.*\+00:00", record.when or "")
    made = build_report(project.runs)
    assert made.verifier == "human-ada"
    assert made.arms["wonderarm"].numbers["precision_verified"] == pytest.approx(2 / 3)
    assert project.imported(rows).stdout.endswith("0 open; 0 records written\n")


def test_what_is_not_filled_in_stays_open_and_a_later_import_adds_it(project: Project) -> None:
    rows = project.exported()
    first = [row | {"verdict": "real" if row["text"] == HOSTILE else ""} for row in rows]
    assert project.imported(first).stdout == "2 findings labelled by human-ada, 1 open; 4 records written\n"
    numbers = build_report(project.runs).arms
    assert [numbers[arm].numbers["judged"] for arm in ("wonderarm", "otherarm")] == [1, 2]
    rest = [row | {"verdict": "" if row["text"] == HOSTILE else "not_a_bug"} for row in rows]
    assert project.imported(rest).stdout == "3 findings labelled by human-ada, 0 open; 1 records written\n"
    assert build_report(project.runs).arms["wonderarm"].numbers["judged"] == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"item": "unknown"}, "no finding of these runs has this item"),
        ({"corpus": "f" * 12}, "is of corpus ffffffffffff"),
        ({"verdict": "gt_same", "bugs": "2"}, "there are 1 known bugs"),
    ],
)
def test_a_row_that_cannot_be_used_leaves_the_runs_untouched(
    project: Project, change: dict[str, str], said: str
) -> None:
    rows = [row | {"verdict": "real"} for row in project.exported()]
    done = project.imported([*rows[:-1], rows[-1] | change])
    assert done.returncode == 2
    assert said in done.stderr
    assert "back.csv: line" in done.stderr
    assert project.runs[0].verifiers() == []


def test_two_rows_that_contradict_each_other_are_refused(project: Project) -> None:
    rows = [row | {"verdict": "real"} for row in project.exported()]
    assert (
        "says something else than back.csv" in project.imported([*rows, rows[0] | {"verdict": "not_a_bug"}]).stderr
    )
    assert project.imported([*rows, rows[0]]).returncode == 0


def test_a_corpus_that_is_another_is_refused(project: Project) -> None:
    write_case(project.folder / "corpus", "a3")
    done = reviewbench(project.folder, "adjudicate", "export", *project.names, "--csv", "form.csv")
    assert done.returncode == 2
    assert "made with corpus" in done.stderr
    assert not (project.folder / "form.csv").exists()


def test_a_name_that_is_no_folder_is_refused(project: Project) -> None:
    rows = [row | {"verdict": "real"} for row in project.exported()]
    assert "--as: '../x' is no name" in project.imported(rows, "../x").stderr
