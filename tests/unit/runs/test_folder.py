"""One run, one folder, for ever."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from pytest_reviewbench.errors import RunError
from pytest_reviewbench.runs.folder import RunFolder, create_run, list_runs
from tests.unit.runs.making import MANIFEST, START, make_run, matches, review


def test_a_run_is_named_by_arm_rep_and_second_and_says_so_inside(tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", arm="perun.gap", rep=2)
    assert run.path == tmp_path / "runs" / "perun.gap-2-20260102T030405Z"
    manifest = run.manifest()
    assert (manifest.arm, manifest.rep, manifest.started) == ("perun.gap", 2, "2026-01-02T03:04:05+00:00")


def test_a_name_taken_in_this_second_waits_for_the_next_and_is_never_reused(tmp_path: Path) -> None:
    clock = [START]
    waits = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        clock[0] += timedelta(seconds=seconds)

    made = [create_run(tmp_path, "arm", 1, lambda _: MANIFEST, lambda: clock[0], wait) for _ in range(3)]
    assert [run.name for run in made] == [f"arm-1-20260102T03040{n}Z" for n in (5, 6, 7)]
    assert waits == [0.75, 1.0], "until the next second, no longer"


def test_a_folder_that_is_no_run_keeps_its_name_too(tmp_path: Path) -> None:
    (tmp_path / "arm-1-20260102T030405Z").write_text("somebody's file")
    with pytest.raises(AssertionError, match="the name of the run is taken"):
        make_run(tmp_path)


def test_the_default_place_ignores_itself_in_git_and_a_chosen_place_is_left_alone(tmp_path: Path) -> None:
    make_run(tmp_path / ".reviewbench" / "runs")
    make_run(tmp_path / "mine" / "runs")
    assert (tmp_path / ".reviewbench" / ".gitignore").read_text() == "*\n"
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["runs"]


def test_a_gitignore_that_the_user_wrote_stays(tmp_path: Path) -> None:
    (tmp_path / ".reviewbench").mkdir()
    (tmp_path / ".reviewbench" / ".gitignore").write_text("runs/\n")
    make_run(tmp_path / ".reviewbench" / "runs")
    assert (tmp_path / ".reviewbench" / ".gitignore").read_text() == "runs/\n"


def test_a_place_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(RunError, match=r"runs: cannot make a run folder: (File exists|Not a directory)$"):
        make_run(tmp_path / "runs")


def test_a_run_is_complete_when_the_last_review_stands_and_not_before(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    run.write_review(review("a1"), matches("a1"), "")
    assert (run.finish(), run.complete) == (False, False)
    run.write_review(review("a2", "error"), matches("a2"), "")
    assert (run.finish(), run.complete) == (True, True)
    assert run.finish()
    assert not run.claim_path("a1").parent.exists(), "nothing is left to be claimed"


def test_a_review_is_never_rewritten(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    run.write_review(review(), matches(), "raw")
    with pytest.raises(FileExistsError):
        run.write_review(review(status="error"), matches(), "other")
    assert run.review("a1") == review()


def test_records_come_back_as_they_were_written(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    run.write_review(review(seconds=1.5, cost_usd=0.25, warnings=("ä → \u2028",)), matches(), "raw \udcff")
    assert run.review("a1") == review(seconds=1.5, cost_usd=0.25, warnings=("ä → \u2028",))
    assert run.matches("a1") == matches()
    assert (run.path / "answers" / "a1.txt").read_text() == "raw ?"
    assert (run.review("a2"), run.matches("a2")) == (None, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ('{"case": "a1"}', r"\$: object missing required field"),
        ('{"schema": 2, "case": "a1", "arm": "arm", "rep": 1, "status": "ok"}', r"\$\.schema"),
        ('{"case": "a1", "arm": "arm", "rep": 1, "status": "fine"}', r"\$\.status"),
    ],
)
def test_a_damaged_record_is_an_error_that_names_it_and_not_a_missing_one(
    tmp_path: Path, text: str, said: str
) -> None:
    run = make_run(tmp_path)
    run.write_review(review(), None, "")
    (run.path / "reviews" / "a1.json").write_text(text)
    with pytest.raises(RunError, match=rf"reviews/a1\.json: .*{said}"):
        run.review("a1")


def test_a_folder_without_a_manifest_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"not a run folder \(it has no manifest\.json\)"):
        RunFolder(tmp_path).manifest()


def test_runs_are_listed_oldest_first_and_other_things_are_not(tmp_path: Path) -> None:
    for name in ("b-1-20260101T000000Z", "a-1-20260102T000000Z", "a-2-20260101T000000Z"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text("{}")
    (tmp_path / "empty-1-20250101T000000Z").mkdir()
    (tmp_path / ".session-00.json").write_text("[]")
    found = [run.name for run in list_runs(tmp_path)]
    assert found == ["a-2-20260101T000000Z", "b-1-20260101T000000Z", "a-1-20260102T000000Z"]
    assert list(list_runs(tmp_path / "nowhere")) == []
