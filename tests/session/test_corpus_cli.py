"""`reviewbench corpus ...`, as a person calls it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.samples import BUG, write_case
from tests.session.calls import reviewbench


def test_a_check_says_what_is_wrong_and_its_exit_status_says_it_too(tmp_path: Path) -> None:
    write_case(tmp_path / "corpus", "py-1", bugs=[BUG | {"match": re.escape(str(BUG["example"]))}])
    sound = reviewbench(tmp_path, "corpus", "check")
    assert (sound.returncode, sound.stdout.splitlines()[-1].rpartition(": ")[2]) == (0, "sound"), sound
    assert reviewbench(tmp_path, "corpus", "check", "--strict").returncode == 1  # no licence, no proof, ...
    truth = tmp_path / "corpus" / "py-1" / "ground-truth.json"
    truth.write_text(truth.read_text().replace('"match": "', '"match": "|'))
    wrong = reviewbench(tmp_path, "corpus", "check")
    assert wrong.returncode == 1
    assert "py-1: error: ground-truth.json: $.bugs[0].match: accepts a remark that fits any change" in wrong.stdout
    assert wrong.stdout.rstrip().endswith("not sound")
    said = json.loads(reviewbench(tmp_path, "corpus", "check", "--json").stdout)
    assert (said["schema"], said["sound"], said["cases"][0]["id"]) == (1, False, "py-1")


def test_a_corpus_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    for words in (["check", "--corpus=no"], ["stats", "--corpus=no"], ["check", "--sandbox=auto"]):
        done = reviewbench(tmp_path, "corpus", *words)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
        assert done.stderr.startswith("reviewbench: ")


def test_stats_count_by_side(tmp_path: Path) -> None:
    write_case(tmp_path / "corpus", "py-1")
    write_case(tmp_path / "corpus", "py-2", split="train")
    counted = json.loads(reviewbench(tmp_path, "corpus", "stats", "--json").stdout)["counts"]
    assert counted["corpus"]["cases"] == {"test": 1, "train": 1}
    assert "cases" in reviewbench(tmp_path, "corpus", "stats").stdout


def test_a_patch_that_does_not_lead_to_the_files_beside_it_is_found(tmp_path: Path) -> None:
    home = write_case(tmp_path / "corpus", "py-1", bugs=[BUG | {"match": re.escape(str(BUG["example"]))}])
    patch = home / "change.patch"
    patch.write_text(patch.read_text().replace("+    return items[len(items)]", "+    return items[7]"))
    done = reviewbench(tmp_path, "corpus", "check")
    assert done.returncode == 1
    assert (
        "py-1: error: change.patch: does not lead to context/pkg/a.py: line 1 and those after it differ"
        in done.stdout
    )


def test_a_corpus_with_code_that_pytest_would_run_is_not_sound(tmp_path: Path) -> None:
    home = write_case(tmp_path / "corpus", "py-1")
    (home / "conftest.py").write_text("")
    done = reviewbench(tmp_path, "corpus", "check")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    assert "a corpus must not hold code that pytest would run" in done.stderr


def test_a_case_without_a_change_is_sound_counted_and_has_nothing_to_fetch(tmp_path: Path) -> None:
    bug = BUG | {"match": re.escape(str(BUG["example"]))}
    write_case(tmp_path / "corpus", "py-1", bugs=[bug], patch=None, context={}, meta={"no_change": "no diff"})
    checked = reviewbench(tmp_path, "corpus", "check")
    assert (checked.returncode, checked.stdout.splitlines()[-1].rpartition(": ")[2]) == (0, "sound"), checked
    counted = json.loads(reviewbench(tmp_path, "corpus", "stats", "--json").stdout)["counts"]
    assert (counted["source"], counted["change"]) == ({"none": {"test": 1}}, {"none": {"test": 1}})
    assert reviewbench(tmp_path, "corpus", "fetch", "--offline").returncode == 0
