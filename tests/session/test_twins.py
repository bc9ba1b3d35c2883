"""Fixed twins: the same changes without the bug, reviewed like any other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.corpus.sources.cache import Cache
from tests.samples import BUG, HIT, OTHER, records, report, say, write_case, write_project
from tests.unit.sources.conftest import tarball

FILE = "package/a.py"
GOOD = b"def last(items):\n    return items[len(items) - 1]\n"
BAD = b"def last(items):\n    return items[len(items)]\n"
NONE = b"first = 1\n"

READER = """\
import json, sys
place = sys.argv[1]
assert ".twin" not in place and "py-" not in place
found = []
for name in ("package/a.py", "pkg/a.py"):
    try:
        lines = open(place + "/" + name).read().split("\\n")
    except OSError:
        continue
    for n, line in enumerate(lines, 1):
        texts = ["off by one"] * ("len(items)]" in line) + ["no type"] * line.startswith("def last")
        found += [{"file": name, "line": n, "text": text} for text in texts]
print(json.dumps(found))
"""


def pin(cache: Cache, version: str, code: bytes) -> dict[str, str]:
    """A package of one file, published into the cache."""
    data = tarball({FILE: code})
    sha256 = hashlib.sha256(data).hexdigest()
    cache.artefact(sha256).parent.mkdir(parents=True, exist_ok=True)
    cache.artefact(sha256).write_bytes(data)
    return {"version": version, "filename": f"demo-{version}.tgz", "sha256": sha256}


@pytest.fixture
def corpus(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """py-1 (a reversed fix), py-2 (an introduction), py-3 (a clean control), py-4 (nothing pins its fix), py-5.

    py-5 is an introduction that its fix took back: without the bug there is no change.
    """
    cache = Cache(pytester.path / "cache")
    monkeypatch.setenv("REVIEWBENCH_CACHE", str(cache.root))
    source: dict[str, Any] = {
        "ecosystem": "npm",
        "package": "demo",
        "buggy": pin(cache, "1.1.0", BAD),
        "fixed": pin(cache, "1.2.0", GOOD),
        "before": pin(cache, "1.0.0", NONE),
        "files": [FILE],
    }
    corpus = pytester.path / "corpus"
    bugs = [{**BUG, "file": FILE}]
    taken_back = {"before": pin(cache, "1.0.1", GOOD)}
    for case, mode in (("py-1", "reverse-fix"), ("py-2", "intro"), ("py-3", "forward"), ("py-5", "intro")):
        pinned = {"source": {**source, **(taken_back if case == "py-5" else {}), "mode": mode}}
        write_case(corpus, case, patch=None, context={}, bugs=[] if mode == "forward" else bugs, meta=pinned)
    write_case(corpus, "py-4")
    (pytester.path / "reader.py").write_text(READER)
    arms: Mapping[str, Mapping[str, Any]] = {
        "guesser": say([HIT, {**HIT, "file": FILE}]),
        "reader": {
            "family": "command",
            "argv": ["python3", str(pytester.path / "reader.py"), "{workspace}"],
            "rerun_on_fixed": True,
        },
        "silent": say([OTHER]),
    }
    write_project(pytester.path, arms)
    return corpus


def collected(pytester: pytest.Pytester, *args: str) -> list[str]:
    """The cases that a session with `args` would review."""
    result = pytester.runpytest_inprocess("--collect-only", "-q", "--reviewbench-arm=reader", *args)
    return [line.split("::")[1] for line in result.outlines if "::" in line]


def test_a_guesser_that_names_every_mechanism_tells_nothing_apart(pytester: pytest.Pytester, corpus: Path) -> None:
    result = pytester.runpytest_inprocess(
        "--reviewbench-arm=guesser", "--reviewbench-arm=reader", "--reviewbench-twins", "--reviewbench-fail-on-miss"
    )
    assert result.ret == 0, "a twin that is not hit is no miss"
    result.assert_outcomes(passed=14, skipped=2)
    result.stdout.fnmatch_lines(
        ["reviewbench: arms guesser, reader; 5 of 5 cases (split test) and 3 fixed twins; 2 cases have none"]
    )
    made = report(pytester.path)["arms"]
    numbers = {name: arm["numbers"] for name, arm in made.items()}
    shown = (
        "discrimination",
        "hallucinated_hit_rate",
        "twins",
        "twin_pairs",
        "recall_strict",
        "bugs",
        "cases",
        "clean",
    )
    assert {name: [n[key] for key in shown] for name, n in numbers.items()} == {
        "guesser": [0, 1, 3, 2, 1, 4, 5, 1],
        "reader": [1, 0, 3, 2, 1, 4, 5, 1],
    }
    assert numbers["guesser"]["findings"] == 10  # two on each of five cases, none of those on twins
    assert numbers["guesser"]["twins_not_attempted"] == 1
    assert [row["case"] for row in made["reader"]["twins"]] == ["py-1.twin", "py-2.twin", "py-5.twin"]
    assert made["reader"]["twins"][2]["reason"] == "no twin: without its bug the change shows nothing"
    assert [row["case"] for row in made["reader"]["cases"]] == ["py-1", "py-2", "py-3", "py-4", "py-5"]
    result.stdout.fnmatch_lines(
        ["Fixed twins: the same changes without the bug", "*py-1.twin*python*claimed +1*not claimed +1"]
    )
    # The reader was asked again on the fixed version: the bug is gone, the missing type still there.
    assert [numbers["reader"][key] for key in ("gone_when_fixed", "gone_when_fixed_known")] == [2, 4]
    assert numbers["reader"]["rerun_seconds"] > 0
    assert numbers["guesser"]["gone_when_fixed"] is None


def test_twins_are_reviews_of_the_same_run_in_every_process(pytester: pytest.Pytester, corpus: Path) -> None:
    gate = "--reviewbench-fail-under=discrimination=0.5"
    result = pytester.runpytest_inprocess("--reviewbench-arm=silent", "--reviewbench-twins", gate, "-n", "2")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["GATE: fail-under discrimination=0.5 does not hold: silent has 0"])
    assert sorted(records(pytester.path)) == [
        *("py-1", "py-1.twin", "py-2", "py-2.twin", "py-3", "py-4", "py-5", "py-5.twin"),
    ]
    match = records(pytester.path, "matches")["py-2.twin"]
    assert (match["case"], match["hits"], [bug["id"] for bug in match["bugs"]]) == ("py-2.twin", {}, ["b1"])
    assert json.dumps(match["evidence"]).count("true") == 0


@pytest.mark.parametrize(
    ("args", "chosen"),
    [
        (("--reviewbench-case=py-1",), ["py-1", "py-1.twin"]),
        (("--reviewbench-case=py-1.twin",), ["py-1.twin"]),
        (("--reviewbench-case=py-3", "--reviewbench-case=py-2.twin"), ["py-2.twin", "py-3"]),
        (("-k", "py-1"), ["py-1", "py-1.twin"]),
        (("-m", "twin"), ["py-1.twin", "py-2.twin", "py-5.twin"]),
        (("-m", "not twin"), ["py-1", "py-2", "py-3", "py-4", "py-5"]),
        (("corpus/manifest.json::py-1.twin::reader",), ["py-1.twin"]),
    ],
)
def test_twins_are_selected_like_cases(
    pytester: pytest.Pytester, corpus: Path, args: tuple[str, ...], chosen: list[str]
) -> None:
    assert collected(pytester, "--strict-markers", "-o", "reviewbench_twins=true", *args) == chosen


def test_a_twins_own_id_needs_no_flag_and_must_have_a_twin(pytester: pytest.Pytester, corpus: Path) -> None:
    assert collected(pytester, "--reviewbench-case=py-1.twin") == ["py-1.twin"]
    assert collected(pytester, "--reviewbench-case=py-1") == ["py-1"]
    for case in ("py-3", "py-4"):
        result = pytester.runpytest_inprocess("--reviewbench-arm=reader", f"--reviewbench-case={case}.twin")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(
            [f"ERROR: --reviewbench-case: {case} has no fixed twin: it is a clean control, *"]
        )
