"""`reviewbench ...`: what needs no session."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.cli.schema import FILES
from tests.samples import HIT, say, write_case, write_project
from tests.session.calls import reviewbench, reviewbench_apart
from tests.unit.runs.making import make_run, matches, review


def complete_run(folder: Path, **changes: Any) -> str:
    """A finished run in the default place; its name."""
    run = make_run(folder / ".reviewbench" / "runs", **changes)
    for case in run.manifest().cases:
        run.write_review(review(case), matches(case), "")
    assert run.finish()
    return run.name


def one_line_error(done: subprocess.CompletedProcess[str]) -> str:
    """The only thing that a refused call prints, without the program's name."""
    assert (done.returncode, done.stdout) == (2, ""), done
    assert done.stderr.startswith("reviewbench: ")
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix("reviewbench: ").strip()


def test_a_report_of_stored_runs_says_what_the_session_said(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = pytester.path / "summary"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    write_case(pytester.path / "corpus", "py-1")
    write_project(pytester.path, {"echo": say([HIT]), "hush": say([])})
    session = pytester.runpytest_inprocess("--reviewbench-arm=echo", "--reviewbench-arm=hush")
    (pytester.path / "corpus").rename(pytester.path / "gone")  # a report needs no corpus
    names = [path.parent.name for path in pytester.path.glob(".reviewbench/runs/*/COMPLETE")]
    printed = reviewbench_apart(pytester.path, "report", *sorted(names))
    assert (printed.returncode, printed.stderr) == (0, "")
    for line in printed.stdout.splitlines():
        assert line in session.outlines
        assert len(line) <= 100
    runs = pytester.path / ".reviewbench" / "runs"
    assert reviewbench_apart(runs, "report", "--json", *sorted(names)).stdout == (runs / "report.json").read_text()
    assert (
        reviewbench_apart(runs, "report", "--markdown", *sorted(names)).stdout == (runs / "report.md").read_text()
    )
    assert summary.read_text() == (runs / "report.md").read_text(), "the session adds it to the step, once"


def test_the_version_is_the_packages(tmp_path: Path) -> None:
    done = reviewbench(tmp_path, "--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"pytest-reviewbench {version('pytest-reviewbench')}\n"


def test_a_run_is_found_by_name_and_by_path_and_counts_once(tmp_path: Path) -> None:
    name = complete_run(tmp_path)
    place = tmp_path / ".reviewbench" / "runs" / name
    for folder, args in ((tmp_path, [name]), (tmp_path, [name, str(place)]), (tmp_path.parent, [str(place)])):
        made = json.loads(reviewbench(folder, "report", "--json", *args).stdout)
        assert [run["name"] for run in made["runs"]] == [name]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"corpus_sha256": "1" * 64}, "differ in corpus_sha256"),
        ({"split": "train"}, "differ in split"),
        ({"scope": "hunks"}, "are reps of arm with different scope"),
        ({"matcher_versions": {"a1": 2}}, "differ in the matcher of case a1 (1 and 2)"),
    ],
    ids=["corpus", "split", "scope", "matcher"],
)
def test_runs_that_must_not_be_mixed_are_refused_by_name(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    one, other = complete_run(tmp_path), complete_run(tmp_path, rep=2, **changes)
    for form in ((), ("--json",), ("--partial",)):
        told = one_line_error(reviewbench(tmp_path, "report", *form, one, other))
        assert told.startswith(f"{one} and {other} ")
        assert said in told


def test_an_unfinished_run_is_refused_and_reported_only_as_partial(tmp_path: Path) -> None:
    run = make_run(tmp_path / ".reviewbench" / "runs")
    run.write_review(review("a1"), matches("a1"), "")
    for form in ((), ("--json",), ("--markdown",)):
        told = one_line_error(reviewbench(tmp_path, "report", *form, run.name))
        assert told.endswith("not complete (no COMPLETE file); add --partial to report what is there")
        given = reviewbench(tmp_path, "report", "--partial", *form, run.name)
        assert given.returncode == 0
        assert "partial" in given.stdout.lower()
    assert json.loads(reviewbench(tmp_path, "report", "--partial", "--json", run.name).stdout)["missing"] == [
        f"{run.name}: a2 (not_run)"
    ]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("report", "nowhere"), r"nowhere: not a run folder \(it has no manifest\.json\)"),
        (("report", "."), r"\.: not a run folder"),
        (("report", "--json", "--markdown", "x"), r"--json and --markdown cannot be printed together"),
        (("schema", "revue"), r"there is no file 'revue'; .*review"),
        (("split", "a", "../b"), r"'\.\./b' is not a case id"),
        (("public-manifest",), r"corpus: no such corpus folder"),
        (("public-manifest", "--corpus=."), r"manifest\.json: missing; a corpus has an index that lists its cases"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_call_that_cannot_be_carried_out_is_one_line_and_exit_2(
    tmp_path: Path, args: tuple[str, ...], said: str
) -> None:
    assert re.search(said, one_line_error(reviewbench(tmp_path, *args)))


def test_a_damaged_record_is_one_line_that_names_it(tmp_path: Path) -> None:
    name = complete_run(tmp_path)
    record = tmp_path / ".reviewbench" / "runs" / name / "reviews" / "a1.json"
    record.write_text('{"case": NaN}')
    assert str(record.relative_to(tmp_path)) in one_line_error(reviewbench_apart(tmp_path, "report", name))


def test_runs_are_listed_oldest_first_with_their_state(tmp_path: Path) -> None:
    assert reviewbench(tmp_path, "runs").stdout == (
        "no runs in .reviewbench/runs; make one with: pytest --reviewbench-arm tools\n"
    )
    assert reviewbench(tmp_path, "runs", "--json").stdout == "[]\n"
    done = complete_run(tmp_path)
    begun = make_run(tmp_path / ".reviewbench" / "runs", rep=2)
    begun.write_review(review("a1"), matches("a1"), "")
    broken = tmp_path / ".reviewbench" / "runs" / "zz-1-20270101T000000Z"
    broken.mkdir()
    (broken / "manifest.json").write_text("{")
    listed = reviewbench(tmp_path, "runs")
    assert listed.returncode == 0
    first, second, third = listed.stdout.splitlines()
    assert first.split() == [done, "2/2", "reviews", "complete"]
    assert second.split() == [begun.name, "1/2", "reviews", "not", "complete"]
    assert third.startswith(broken.name)
    assert "unreadable: " in third
    rows = json.loads(reviewbench(tmp_path, "runs", "--json").stdout)
    assert [(row["name"], row["reviews"], row["cases"]) for row in rows] == [
        (done, 2, 2),
        (begun.name, 1, 2),
        (broken.name, None, None),
    ]
    assert reviewbench(tmp_path.parent, "runs", f"--runs={tmp_path}").stdout.startswith("no runs in ")
    assert reviewbench(tmp_path / ".reviewbench", "runs", "--runs=runs").stdout.splitlines()[:2] == [first, second]


def test_a_split_depends_on_the_ids_alone_and_public_cases_are_train(tmp_path: Path) -> None:
    ids = [f"c{n}" for n in range(9)]
    first = json.loads(reviewbench(tmp_path, "split", *ids).stdout)
    assert json.loads(reviewbench(tmp_path, "split", *reversed(ids)).stdout) == first
    assert sorted(first.values()) == ["test"] * 6 + ["train"] * 3
    public = next(case for case, side in first.items() if side == "test")
    second = json.loads(reviewbench(tmp_path, "split", *ids, "--public", public).stdout)
    assert second == {**first, public: "train"}


def test_a_public_manifest_names_no_test_case_and_no_fix(tmp_path: Path) -> None:
    entries = [
        {"id": "py-1", "split": "test", "fix_sha": "f" * 40, "intro_sha": "e" * 40, "note": "kept"},
        {"id": "py-2", "split": "train", "fix_sha": "d" * 40},
    ]
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "manifest.json").write_text(json.dumps(entries))
    printed = reviewbench(tmp_path, "public-manifest")
    assert printed.returncode == 0
    assert "py-1" not in printed.stdout
    assert "f" * 40 not in printed.stdout
    train, test = json.loads(printed.stdout)
    assert train["id"] == "py-2"
    assert re.fullmatch("test-[0-9a-f]{10}", test["id"])
    assert {key: value for key, value in test.items() if key != "id"} == {"split": "test", "note": "kept"}


def test_every_file_has_a_schema_that_what_is_written_satisfies(tmp_path: Path) -> None:
    every = json.loads(reviewbench(tmp_path, "schema").stdout)
    assert sorted(every) == sorted(FILES)
    for name in FILES:
        assert "\\Z" not in json.dumps(every[name]), "a JSON Schema ends a pattern with $"
    assert json.loads(reviewbench(tmp_path, "schema", "review").stdout) == every["review"]
    name = complete_run(tmp_path)
    run = tmp_path / ".reviewbench" / "runs" / name
    for kind, file in (("run-manifest", "manifest"), ("review", "reviews/a1"), ("matches", "matches/a1")):
        schema = every[kind]
        target = schema["$defs"][schema["$ref"].rpartition("/")[2]]
        stored = json.loads((run / f"{file}.json").read_text())
        assert stored.keys() == target["properties"].keys()
        assert set(target["required"]) <= stored.keys()


def test_help_names_every_verb_and_a_closed_pipe_makes_no_noise(tmp_path: Path) -> None:
    helped = reviewbench_apart(tmp_path, "--help")
    assert helped.returncode == 0
    for verb in ("split", "public-manifest", "report", "runs", "schema", "doctor"):
        assert verb in helped.stdout
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m pytest_reviewbench.cli schema | true"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_a_report_imports_nothing_heavy_that_it_does_not_need(tmp_path: Path) -> None:
    name = complete_run(tmp_path)
    program = (
        "import sys; sys.path.insert(0, '.'); sys.argv = ['reviewbench', 'report', '--json', sys.argv[1]]\n"
        "from pytest_reviewbench.cli import main\n"
        "try: main()\n"
        "except SystemExit as e: assert not e.code\n"
        "loaded = {'scipy', 'pytest', 'plotly', 'pyarrow', 'krippendorff'} & sys.modules.keys()\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, name], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["schema"] == 1
