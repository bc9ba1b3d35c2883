"""Any reviewer's findings become a finished run, matched as in a session; what is wrong is one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.report.build import build_report
from pytest_reviewbench.runs.folder import RunFolder, list_runs
from tests.samples import HIT, OTHER, write_case
from tests.session.calls import reviewbench


@pytest.fixture(autouse=True)
def _corpus(tmp_path: Path) -> None:
    for case, split in (("py-1", "test"), ("py-2", "test"), ("py-3", "train")):
        write_case(tmp_path / "corpus", case, split=split)
    bug = {"id": "b1", "bug": "it leaks", "severity": "high", "match": "leak"}
    write_case(tmp_path / "corpus", "pr-1", bugs=[bug], patch=None, context={}, meta={"no_change": "no diff"})


def imported(tmp_path: Path, *files: str, **options: str) -> RunFolder:
    named = [f"--{name}={value}" for name, value in ({"arm": "theirs"} | options).items()]
    done = reviewbench(tmp_path, "import", "findings", *files, *named)
    assert done.returncode == 0, done
    *_, run = list_runs(tmp_path / ".reviewbench" / "runs")
    assert str(run.path.name) in done.stdout
    return run


def refused(tmp_path: Path, *args: str) -> str:
    done = reviewbench(tmp_path, "import", "findings", *args)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    assert not (tmp_path / ".reviewbench").exists()
    return done.stderr


def write(tmp_path: Path, value: Any, name: str = "theirs.json") -> str:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(value if isinstance(value, str) else json.dumps(value))
    return name


def statuses(run: RunFolder) -> dict[str, str | None]:
    reviews = {case: run.review(case) for case in run.manifest().cases}
    return {case: review.status if review else None for case, review in reviews.items()}


def test_one_file_by_case_is_matched_and_reported(tmp_path: Path) -> None:
    file = write(tmp_path, {"py-1": [HIT, OTHER], "py-2": {"findings": []}, "pr-1": [{"text": "a leak"}]})
    run = imported(tmp_path, file)
    manifest = run.manifest()
    assert (run.complete, manifest.family, manifest.split, manifest.scope) == (True, "import", "test", "file")
    assert manifest.imported.keys() == {"theirs.json"}
    assert str(tmp_path) not in (run.path / "manifest.json").read_text()
    assert statuses(run) == {"pr-1": "ok", "py-1": "ok", "py-2": "ok"}
    numbers = build_report([run]).arms["theirs"].numbers
    assert [numbers[name] for name in ("bugs", "bugs_hit", "findings", "findings_matched")] == [3, 2, 3, 2]
    assert (numbers["cost_usd"], numbers["empty"], numbers["touches_fix"]) == (None, 1, None)
    assert json.loads(run.answer("py-1")) == [HIT, OTHER]


def test_a_case_without_an_answer_is_not_run_and_no_miss(tmp_path: Path) -> None:
    run = imported(tmp_path, write(tmp_path, {"py-1": []}))
    assert statuses(run) == {"pr-1": "not_run", "py-1": "ok", "py-2": "not_run"}
    report = build_report([run])
    assert report.arms["theirs"].numbers["bugs"] == 1
    assert {row.reason for row in report.arms["theirs"].cases} == {None, "the imported files have no answer to it"}


def test_the_split_is_where_the_answers_stand_or_what_was_asked_for(tmp_path: Path) -> None:
    assert imported(tmp_path, write(tmp_path, {"py-3": []})).manifest().cases == ("py-3",)
    both = imported(tmp_path, write(tmp_path, {"py-1": [], "py-3": []}), rep="2")
    assert (both.manifest().split, len(both.manifest().cases)) == ("all", 4)


def test_a_folder_has_a_file_per_case_and_a_bad_one_is_unparsable(tmp_path: Path) -> None:
    write(tmp_path, [HIT], "said/py-1.json")
    write(tmp_path, "I found nothing.", "said/py-2.txt")
    run = imported(tmp_path, "said")
    assert statuses(run) == {"pr-1": "not_run", "py-1": "ok", "py-2": "unparsable"}
    review = run.review("py-2")
    assert review is not None
    assert review.error is not None
    assert review.error.message.startswith("py-2.txt: not JSON")
    assert run.answer("py-2") == "I found nothing."


def test_other_formats_come_as_a_file_per_case(tmp_path: Path) -> None:
    place = {"physicalLocation": {"artifactLocation": {"uri": HIT["file"]}, "region": {"startLine": HIT["line"]}}}
    result = {"message": {"text": HIT["text"]}, "locations": [place]}
    tool = {"driver": {"name": "theirs"}}
    write(tmp_path, {"version": "2.1.0", "runs": [{"tool": tool, "results": [result]}]}, "said/py-1.sarif")
    write(tmp_path, {"version": "2.1.0", "runs": [{"tool": tool, "results": []}]}, "said/py-2.sarif")
    write(tmp_path, "<checkstyle/>", "said/pr-1.sarif")
    run = imported(tmp_path, "said", format="sarif")
    assert statuses(run) == {"pr-1": "unparsable", "py-1": "ok", "py-2": "ok"}
    matches = run.matches("py-1")
    assert matches is not None
    assert len(matches.hits) == 1


def test_a_value_that_is_no_list_is_unparsable_and_its_sibling_stays(tmp_path: Path) -> None:
    run = imported(tmp_path, write(tmp_path, {"py-1": "none", "py-2": [{"line": 3}], "pr-1": []}))
    assert statuses(run) == {"pr-1": "ok", "py-1": "unparsable", "py-2": "unparsable"}


def test_reps_of_different_files_stand_in_one_report(tmp_path: Path) -> None:
    one = imported(tmp_path, write(tmp_path, {"py-1": [HIT]}))
    two = imported(tmp_path, write(tmp_path, {"py-1": []}, "second.json"), rep="2")
    assert build_report([one, two]).arms["theirs"].numbers["bugs_hit"] == 0.5


def test_the_order_of_cases_in_a_file_moves_nothing(tmp_path: Path) -> None:
    said = {"py-1": [HIT, OTHER], "py-2": [OTHER]}
    one = imported(tmp_path, write(tmp_path, said))
    two = imported(tmp_path, write(tmp_path, dict(reversed(said.items()))), rep="2")
    for case in said:
        assert one.matches(case) == two.matches(case)
        a, b = one.review(case), two.review(case)
        assert a is not None
        assert b is not None
        assert a.findings == b.findings


def test_what_cannot_be_imported_is_one_line(tmp_path: Path) -> None:
    file = write(tmp_path, {"py-1": []})
    assert "no case 'py-11'; did you mean 'py-1'?" in refused(
        tmp_path, write(tmp_path, {"py-11": []}, "x.json"), "--arm=a"
    )
    assert "theirs.json: $: expected an object" in refused(tmp_path, write(tmp_path, []), "--arm=a")
    assert "names no case" in refused(tmp_path, write(tmp_path, {}), "--arm=a")
    file = write(tmp_path, {"py-1": []})
    assert "no such file or folder" in refused(tmp_path, "nowhere", "--arm=a")
    assert "--format: 'yaml' is not known" in refused(tmp_path, file, "--arm=a", "--format=yaml")
    assert "--arm: 'a.r2' is no arm name" in refused(tmp_path, file, "--arm=a.r2")
    assert "stands in test, not in train" in refused(tmp_path, file, "--arm=a", "--split=train")
    assert "sarif files are named by their case" in refused(tmp_path, file, "--arm=a", "--format=sarif")
    again = write(tmp_path, {"py-1": []}, "again.json")
    assert "which another file answers as well" in refused(tmp_path, file, again, "--arm=a")
    write(tmp_path, [], "said/py-1.json")
    write(tmp_path, [], "said/other.json")
    assert "other.json: its name is no case" in refused(tmp_path, "said", "--arm=a")
    write(tmp_path, [], "twice/py-1.json")
    write(tmp_path, [], "twice/py-1.txt")
    assert "two files for the case 'py-1'" in refused(tmp_path, "twice", "--arm=a")
