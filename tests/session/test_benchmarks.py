"""The benchmarks still run and measure what they say. How fast anything is, is no test."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import children, report_scale
from benchmarks.page import find_chromium

ROOT = Path(__file__).parents[2]


def measured(benchmark: str) -> Any:
    """What a benchmark prints for programs, run small."""
    argv = [sys.executable, "-m", f"benchmarks.{benchmark}", "--quick", "--json"]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_overhead_measures_every_mode_beside_its_thread_pool() -> None:
    said = measured("overhead")
    assert list(said["modes"]) == ["-n 2", "64 in flight", "8 in flight"]
    for mode, pairs in said["modes"].items():
        (pair,) = pairs
        session, pool = pair["session"], pair["pool"]
        assert session["process"] > session["session"] > session["items"] > said["seconds"]
        assert pair["ratio"] == session["session"] / pool["session"]
        assert pool["process"] > pool["session"] >= said["seconds"]
        assert (session["worker_peak"] > 0) == mode.startswith("-n")
        assert session["peak"] > 10
        assert pool["peak"] > 5
    assert [len(said["idle"][which]) for which in ("with", "without")] == [1, 1]


def test_collection_measures_the_same_number_of_items_as_its_baseline() -> None:
    said = measured("collection")
    assert list(said["modes"]) == ["baseline", "baseline -n 2", "plugin", "plugin -n 2"]
    for mode, (timed,) in said["modes"].items():
        assert timed["count"] == said["cases"] * said["arms"] == 200
        assert timed["process"] > timed["session"] > timed["collection"] > 0
        assert (timed["worker_peak"] > 0) == mode.endswith("-n 2")


def test_report_scale_reports_every_finding_that_it_made(capsys: pytest.CaptureFixture[str]) -> None:
    assert report_scale.main(["--quick"]) == 0
    (row,) = capsys.readouterr().out.splitlines()[2:]
    cells = [cell.strip() for cell in row.split("|")[1:-1]]
    assert cells[0] == "50 × 6"
    assert int(cells[1].replace(",", "")) > 500
    assert float(cells[2]) > 0


def test_children_measures_each_way_to_start_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert children.main(["--quick"]) == 0
    rows = [line.split("|")[1].strip() for line in capsys.readouterr().out.splitlines()[2:]]
    assert rows[:2] == ["subprocess.run", "supervisor"]


def test_page_measures_a_page_in_a_browser() -> None:
    if find_chromium() is None:
        pytest.skip("no Chromium on PATH: apt-get install chromium")
    said = measured("page")
    assert said["cases"] == 12
    assert said["bytes"] > 100_000
    assert len(said["ready"]) == len(said["opened"]) == 1
