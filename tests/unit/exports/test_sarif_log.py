"""A run as SARIF: what is in it, and that it is read back as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench import codec
from pytest_reviewbench.answers.formats import READERS
from pytest_reviewbench.exports.sarif import case_uri, sarif_log
from tests.session.calls import reviewbench
from tests.unit.exports.making import FOUND, REASON, exported_run
from tests.unit.runs.making import make_run


def test_findings_of_two_cases_in_equal_paths_do_not_collide(tmp_path: Path) -> None:
    (run,) = sarif_log(exported_run(tmp_path))["runs"]
    results = [r for r in run["results"] if r["properties"]["finding"] == "f1"]
    uris = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results]
    assert uris == ["a1/pkg/a%20b.py", "a2/pkg/a%20b.py"]
    assert [r["partialFingerprints"] for r in results] == [
        {"reviewbench/v1": "a1/f1"},
        {"reviewbench/v1": "a2/f1"},
    ]
    assert run["results"][0]["locations"][0]["physicalLocation"]["region"] == {"startLine": 2, "endLine": 4}


def test_verdicts_and_bugs_are_properties_and_their_reasons_are_nowhere(tmp_path: Path) -> None:
    log = sarif_log(exported_run(tmp_path))
    one, two, *_ = log["runs"][0]["results"]
    assert one["properties"]["bugs"] == ["b1", "b2"]
    assert one["properties"]["verdicts"] == {"judge-x": "gt_same"}
    assert one["properties"]["verdict_bugs"] == {"judge-x": ["b1"]}
    assert (two["properties"]["bugs"], two["properties"]["verdicts"]) == ([], {"judge-x": "not_a_bug"})
    assert REASON not in json.dumps(log)


def test_a_review_without_an_answer_has_no_results_and_says_why(tmp_path: Path) -> None:
    (run,) = sarif_log(exported_run(tmp_path))["runs"]
    assert {r["properties"]["case"] for r in run["results"]} == {"a1", "a2"}
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    (told,) = invocation["toolExecutionNotifications"]
    assert told["message"]["text"] == "a3: unparsable: no JSON"


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    read = READERS["sarif"](codec.encode(sarif_log(exported_run(tmp_path))), "log", None)
    assert [(item["text"], item.get("line"), item.get("severity")) for item in read.items] == [
        (FOUND[0].text, 2, "error"),
        (FOUND[1].text, None, None),
        (FOUND[2].text, None, "note"),
        (FOUND[0].text, 2, "error"),
    ]


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("a.py", "c/a.py"),
        ("./x/../a#b?.py", "c/a%23b%3F.py"),
        ("a:b.py", "c/a%3Ab.py"),
        ("näh.py", "c/n%C3%A4h.py"),
        ("/etc/passwd", None),
        ("../../x", None),
        ("x/../..", None),
        (".", None),
    ],
)
def test_no_uri_leaves_the_folder_of_its_case(file: str, uri: str | None) -> None:
    assert case_uri("c", file) == uri


def test_every_rule_index_is_that_of_its_rule_and_levels_are_words_of_sarif(tmp_path: Path) -> None:
    (run,) = sarif_log(exported_run(tmp_path))["runs"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    assert [r["level"] for r in run["results"]] == ["error", "none", "note", "error"]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_export_writes_what_was_asked_for_and_names_it(tmp_path: Path) -> None:
    run = exported_run(tmp_path / "runs")
    done = reviewbench(tmp_path, "export", str(run.path), "--sarif=out.sarif", "--csv=t", "--parquet=t")
    assert (done.returncode, done.stderr) == (0, "")
    written = ["cases.csv", "cases.parquet", "findings.csv", "findings.parquet", "verdicts.csv", "verdicts.parquet"]
    assert names(tmp_path / "t") == written
    assert sorted(done.stdout.split()) == sorted(["out.sarif", *(str(Path("t", name)) for name in written)])
    assert json.loads((tmp_path / "out.sarif").read_text())["version"] == "2.1.0"


def test_several_runs_are_a_folder_of_logs_and_one_table(tmp_path: Path) -> None:
    runs = [exported_run(tmp_path / "runs"), make_run(tmp_path / "runs", arm="other")]
    paths = [str(run.path) for run in runs]
    done = reviewbench(tmp_path, "export", *paths, "--partial", "--sarif=logs", "--csv=t")
    assert done.returncode == 0, done.stderr
    assert names(tmp_path / "logs") == sorted(f"{run.name}.sarif" for run in runs)
    assert len((tmp_path / "t" / "cases.csv").read_text().splitlines()) == 1 + 3 + 2


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "say in which format and where: --sarif FILE, --csv DIR or --parquet DIR"),
        (["--csv=file"], "cannot be written"),
        (["--sarif=file/x.sarif"], "cannot be written"),
        (["--csv=RUN"], "where nothing is changed; name another place"),
        (["--parquet=RUN/reviews/new"], "where nothing is changed; name another place"),
        (["--sarif=RUN"], "where nothing is changed; name another place"),
        (["SAME", "--csv=t"], "two of these runs have the same name"),
    ],
)
def test_an_export_that_cannot_be_is_one_line(tmp_path: Path, args: list[str], said: str) -> None:
    run = exported_run(tmp_path / "runs")
    same = exported_run(tmp_path / "others")
    (tmp_path / "file").write_text("taken")
    before = sorted(run.path.rglob("*"))
    named = [arg.replace("RUN", str(run.path)).replace("SAME", str(same.path)) for arg in args]
    done: Any = reviewbench(tmp_path, "export", str(run.path), *named)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr
    assert sorted(run.path.rglob("*")) == before
    assert not (tmp_path / "t").exists()


def test_the_run_in_the_current_folder_has_its_name(tmp_path: Path) -> None:
    run = exported_run(tmp_path / "runs")
    done = reviewbench(run.path, "export", ".", f"--csv={tmp_path}", f"--sarif={tmp_path}")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / f"{run.name}.sarif").is_file()
    assert (tmp_path / "cases.csv").read_text().splitlines()[1].startswith(f"{run.name},")
