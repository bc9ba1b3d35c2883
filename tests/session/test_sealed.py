"""Sessions on a sealed corpus, and on the corpus that comes with the package."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.curate.canary import CANARY
from pytest_reviewbench.shipped_corpus import default_corpus, shipped_corpus
from tests.samples import HIT, OTHER, report, runs, say, write_acting_case, write_case, write_project
from tests.session import scripted_claude
from tests.session.calls import reviewbench

KEY = "REVIEWBENCH_SEAL_KEY"


def seal(folder: Path) -> None:
    """The corpus of `folder`, sealed with a new key: `folder`/key."""
    made = reviewbench(folder, "corpus", "keygen", "key")
    assert made.returncode == 0, made
    done = reviewbench(folder, "corpus", "seal", "--key=key")
    assert done.returncode == 0, done


def last_manifest(folder: Path) -> dict[str, Any]:
    made: dict[str, Any] = json.loads((runs(folder)[-1] / "manifest.json").read_text())
    return made


@pytest.mark.parametrize("mode", [(), ("-n", "2")], ids=["in flight", "xdist"])
def test_numbers_are_equal_sealed_and_unsealed(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, mode: tuple[str, ...]
) -> None:
    write_project(pytester.path, {"echo": say([HIT, OTHER])})
    write_case(pytester.path / "corpus", "c1")
    write_case(pytester.path / "corpus", "c2", split="train")
    asked = ("--reviewbench-arm=echo", "--reviewbench-split=all", *mode)
    pytester.runpytest_subprocess(*asked).assert_outcomes(passed=2)
    first, plain = report(pytester.path), last_manifest(pytester.path)
    assert first["arms"]["echo"]["numbers"]["bugs_hit"] == 2
    seal(pytester.path)
    monkeypatch.setenv(KEY, str(pytester.path / "key"))
    pytester.runpytest_subprocess(*asked).assert_outcomes(passed=2)
    second, sealed = report(pytester.path), last_manifest(pytester.path)
    assert sealed["corpus_sha256"] == plain["corpus_sha256"]
    for numbers in (made["arms"]["echo"]["numbers"] for made in (first, second)):
        for name in ("seconds", "seconds_mean", "seconds_per_review"):
            numbers.pop(name, None)
    assert second["arms"]["echo"]["numbers"] == first["arms"]["echo"]["numbers"]


def test_a_sealed_case_without_its_key_is_one_line_and_nothing_runs(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_project(pytester.path, {"echo": say([HIT])})
    write_case(pytester.path / "corpus", "c1")
    write_case(pytester.path / "corpus", "c2", split="train")
    seal(pytester.path)
    (pytester.path / "key").rename(pytester.path / "right")
    reviewbench(pytester.path, "corpus", "keygen", "key")
    for value, said in (
        (None, "*c1/sealed.age: is sealed, and REVIEWBENCH_SEAL_KEY is not set; it takes the key for *"),
        ("key", "*c1/sealed.age: is sealed, and REVIEWBENCH_SEAL_KEY is another key than the one that *"),
        ("keys", "*REVIEWBENCH_SEAL_KEY: neither a key *nor a file that can be read*"),
    ):
        if value is None:
            monkeypatch.delenv(KEY, raising=False)
        else:
            monkeypatch.setenv(KEY, value)
        result = pytester.runpytest_inprocess("--reviewbench-arm=echo")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"ERROR: {said}"])
        assert len(result.stderr.lines) <= 2, result.stderr.str()
        done = reviewbench(pytester.path, "corpus", "unseal")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done
    assert runs(pytester.path) == []
    monkeypatch.delenv(KEY)
    result = pytester.runpytest_inprocess("--reviewbench-arm=echo", "--reviewbench-split=train")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["warning: *corpus: 1 sealed cases are left out: *"])


def test_reasons_of_verdicts_on_sealed_cases_are_stored_sealed(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted_claude.install(pytester.path / "bin")
    monkeypatch.setenv("PATH", f"{pytester.path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    write_project(pytester.path, {})
    for case, split in (("c1", "test"), ("c2", "train")):
        acts = f"skill; say {json.dumps([HIT])}"
        write_acting_case(pytester.path / "corpus", case, acts, split=split)
    seal(pytester.path)
    monkeypatch.setenv(KEY, str(pytester.path / "key"))
    asked = ("--reviewbench-arm=plain", "--reviewbench-split=all", "--reviewbench-verifier=judge")
    pytester.runpytest_subprocess(*asked).assert_outcomes(passed=2)
    (run,) = runs(pytester.path)
    said = {}
    for case in ("c1", "c2"):
        (stored,) = json.loads((run / f"verdicts/judge-claude/{case}.1.json").read_text())["verdicts"].values()
        assert stored["verdict"] == "gt_same"
        said[case] = stored["reason"]
    assert said["c1"].startswith("age:")
    opened = reviewbench(pytester.path, "corpus", "reasons", run.name)
    lines = [line.split("\t") for line in opened.stdout.splitlines()]
    assert [(line[1], line[3]) for line in lines] == [("c1", "gt_same"), ("c2", "gt_same")]
    assert lines[0][4] == lines[1][4] == said["c2"] != ""
    named = [path for path in run.rglob("*") if path.is_file() and said["c2"] in path.read_text()]
    assert not [path for path in named if "c1" in path.name], "nowhere else either"
    monkeypatch.delenv(KEY)
    assert reviewbench(pytester.path, "corpus", "reasons", run.name).returncode == 2


def test_seal_check_unseal_and_keygen_say_what_they_did(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = pytester.path
    write_case(here / "corpus", "c1")
    write_case(here / "corpus", "c2")
    no_key = reviewbench(here, "corpus", "seal")
    assert (no_key.returncode, no_key.stdout) == (2, "")
    assert no_key.stderr.startswith("reviewbench: no key: make one (reviewbench corpus keygen FILE)")
    made = reviewbench(here, "corpus", "keygen", "key")
    assert made.stdout.startswith("age1")
    assert stat.S_IMODE((here / "key").stat().st_mode) == 0o600
    before = (here / "key").read_text()
    assert reviewbench(here, "corpus", "keygen", "key").returncode == 2
    assert (here / "key").read_text() == before
    monkeypatch.setenv(KEY, before.splitlines()[1])
    assert reviewbench(here, "corpus", "seal", "--check").stdout == "2 cases are not sealed, 0 are\n"
    assert reviewbench(here, "corpus", "seal", "c2").stdout == "1 cases sealed, 0 were\n"
    assert reviewbench(here, "corpus", "seal").stdout == "1 cases sealed, 1 were\n"
    done = reviewbench(here, "corpus", "seal", "--check")
    assert (done.returncode, done.stdout) == (0, "0 cases are not sealed, 2 are\n")
    assert reviewbench(here, "corpus", "unseal", "c1").stdout == "1 cases unsealed, 0 were\n"
    done = reviewbench(here, "corpus", "seal", "--check")
    assert (done.returncode, done.stdout) == (1, "1 cases are not sealed, 1 are\n")
    assert "is not sealed" in reviewbench(here, "corpus", "check", "--offline").stdout
    assert reviewbench(here, "corpus", "seal", "c3").stderr.endswith("corpus: has no case 'c3'\n")


def test_an_empty_folder_has_the_shipped_corpus(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess("--reviewbench-arm=tools", "--reviewbench-case=sh-0001", "--collect-only")
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"reviewbench: corpus {shipped_corpus()} (shipped, there is none here)"])
    result = pytester.runpytest_inprocess(
        "--reviewbench-arm=tools", "--reviewbench-case=sh-0001", "--collect-only", "-q"
    )
    result.stdout.fnmatch_lines(["corpus/manifest.json::sh-0001::tools"])
    counted = json.loads(reviewbench(pytester.path, "corpus", "stats", "--json").stdout)
    assert counted["counts"]["corpus"]["cases"]["test"] > 50
    assert counted["locked"] == 0
    assert "no corpus here, so the shipped one" in reviewbench(pytester.path, "corpus", "stats").stderr
    writing = reviewbench(pytester.path, "corpus", "seal")
    assert (writing.returncode, writing.stdout) == (2, ""), "what is written to is never the shipped one"


def test_a_corpus_of_the_project_comes_before_the_shipped_one(tmp_path: Path) -> None:
    assert default_corpus(tmp_path) == shipped_corpus()
    (tmp_path / "corpus").mkdir()
    assert default_corpus(tmp_path) == tmp_path / "corpus", "also where it is not finished"


def test_every_shipped_truth_and_proof_holds_the_canary() -> None:
    from pytest_reviewbench.corpus.index import load_corpus
    from pytest_reviewbench.curate.canary import lint_canary

    folder = shipped_corpus()
    assert folder is not None
    cases = load_corpus(folder, None, {}).cases.values()
    assert len(cases) > 80
    assert [f"{case.id}: {problem}" for case in cases for problem in lint_canary(case)] == []
    assert CANARY.endswith("b36d48b9-5294-4a81-a3e0-35595cac6201"), "never changed: people search for it"


def test_what_a_killed_call_left_in_plain_is_said_without_a_key_and_goes_with_the_next_call(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY, raising=False)
    write_case(pytester.path / "corpus", "c1")
    assert reviewbench(pytester.path, "corpus", "seal", "--check").returncode == 1
    seal(pytester.path)
    assert reviewbench(pytester.path, "corpus", "seal", "--check").returncode == 0
    left = pytester.path / "corpus" / "c1" / ".ground-truth.json.0123abcd"
    for verb in ("seal", "unseal"):
        left.write_text("a truth")
        assert reviewbench(pytester.path, "corpus", "seal", "--check").returncode == 1
        assert reviewbench(pytester.path, "corpus", verb, "--key=key").returncode == 0
        assert not left.exists()


def test_a_mistake_around_sealing_is_one_line(pytester: pytest.Pytester) -> None:
    for words in (["seal"], ["seal", "--check"], ["reasons", "nope"]):
        done = reviewbench(pytester.path, "corpus", *words)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
