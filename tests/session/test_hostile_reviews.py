"""What bites only when reviews run: regexes that explode on a finding, archives, words that must not get out."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.samples import BUG, HIT, OTHER, PATCH, records, report, say, write_case, write_project
from tests.session.hostile import assert_refused

ARMED = "--reviewbench-arm=echo"
EXPLODES = {**BUG, "match": "off by one|(x+x+)+y", "example": "off by one"}
FUSE = {**OTHER, "text": "x" * 5000}


@pytest.mark.parametrize("mode", [(), ("-n", "2")], ids=["in flight", "xdist"])
def test_a_regex_that_explodes_on_a_finding_is_an_error_of_that_review_only(
    pytester: pytest.Pytester, mode: tuple[str, ...]
) -> None:
    corpus = pytester.path / "corpus"
    write_case(corpus, "py-1", bugs=[EXPLODES])
    for n in range(2, 6):
        write_case(corpus, f"py-{n}")
    write_project(pytester.path, {"echo": say([FUSE, HIT])})
    result = pytester.runpytest_inprocess(ARMED, "--reviewbench-fail-on-miss", *mode)
    assert result.ret == 1
    result.assert_outcomes(passed=4, failed=1)
    stored = records(pytester.path)
    assert [stored[case]["status"] for case in sorted(stored)] == ["error", "ok", "ok", "ok", "ok"]
    assert stored["py-1"]["error"]["kind"] == "corpus"
    assert f"{corpus}/py-1: the match of bug b1: the regex takes over 1 s" in stored["py-1"]["error"]["message"]
    assert len(stored["py-1"]["findings"]) == 2
    numbers = report(pytester.path)["arms"]["echo"]["numbers"]
    assert numbers["recall_strict"] == 1.0  # an error is no miss


def test_a_hundred_findings_that_make_a_regex_explode_cost_one_second_not_a_hundred(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_reviewbench.contain.search import Searcher

    asked: list[str] = []
    search = Searcher.search

    def counting(self: Searcher, pattern: str, text: str) -> bool:
        asked.append(text)
        return search(self, pattern, text)

    monkeypatch.setattr(Searcher, "search", counting)
    write_case(pytester.path / "corpus", "py-1", bugs=[EXPLODES])
    write_project(pytester.path, {"echo": say([{**FUSE, "text": "x" * (100 + n)} for n in range(100)])})
    result = pytester.runpytest_inprocess(ARMED)
    assert result.ret == 1
    assert len([text for text in asked if text.startswith("xxx")]) == 1


def tarball(member: str, data: bytes = b"x = 1\n", kind: bytes = tarfile.REGTYPE) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        info = tarfile.TarInfo(member)
        info.type, info.linkname, info.size = kind, "/etc/passwd", len(data) if kind == tarfile.REGTYPE else 0
        archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def write_pinned_case(corpus: Path, case: str, artefact: bytes) -> None:
    """A case whose pinned artefact lies in the cache already, under its true hash."""
    sha256 = hashlib.sha256(artefact).hexdigest()
    place = Path(os.environ["REVIEWBENCH_CACHE"], "artefacts", sha256)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(artefact)
    pin = {"version": "1.0.0", "filename": "demo-1.0.0.tgz", "sha256": sha256}
    source: dict[str, Any] = {"ecosystem": "npm", "package": "demo", "buggy": pin, "fixed": pin, "mode": "forward"}
    meta = {"source": {**source, "files": ["package/a.py"]}}
    write_case(corpus, case, patch=None, context={}, bugs=[], meta=meta)


ARCHIVES = {
    "a way out": (tarball("../../escaped.py"), "member '../../escaped.py' points out of its folder"),
    "an absolute path": (tarball("/tmp/escaped.py"), "member '/tmp/escaped.py' points out of its folder"),
    "a link": (tarball("package/a.py", kind=tarfile.SYMTYPE), "is a link"),
    "no archive": (b"#!/bin/sh\n", "not a readable archive"),
}


@pytest.mark.parametrize(
    ("name", "mode"), [*((name, ()) for name in ARCHIVES), ("a way out", ("-n", "2"))], ids=[*ARCHIVES, "xdist"]
)
def test_a_hostile_archive_ends_the_session_with_one_line_before_the_first_review(
    pytester: pytest.Pytester, name: str, mode: tuple[str, ...]
) -> None:
    artefact, said = ARCHIVES[name]
    corpus = pytester.path / "corpus"
    write_pinned_case(corpus, "py-1", artefact)
    write_case(corpus, "py-2")
    write_project(pytester.path, {"echo": say([])})
    run = pytester.runpytest_subprocess if mode else pytester.runpytest_inprocess
    result = run(ARMED, "--reviewbench-offline", *mode)
    assert_refused(result, "demo@1.0.0", said)
    assert not list(pytester.path.parent.rglob("escaped.py"))
    assert not (pytester.path / ".reviewbench" / "runs").exists()


@pytest.mark.parametrize("mode", [(), ("-n", "2")], ids=["in flight", "xdist"])
def test_no_output_of_a_session_holds_a_word_of_a_test_cases_truth(
    pytester: pytest.Pytester, mode: tuple[str, ...]
) -> None:
    truth = {**BUG, "bug": "zanzibar-bug", "match": "zanzibar-match|off by one", "example": "zanzibar-match"}
    corpus = pytester.path / "corpus"
    write_case(corpus, "py-1", bugs=[truth], meta={"label": "zanzibar-label", "symptom": "zanzibar-symptom"})
    write_case(corpus, "py-2", bugs=[{**truth, "match": "zanzibar-match|(x+x+)+y"}], meta={"fix_sha": "zanzibar"})
    write_case(corpus, "py-3", bugs=[truth], patch=PATCH)
    write_project(pytester.path, {"echo": say([HIT, FUSE])})
    result = pytester.runpytest_subprocess(
        ARMED, "-vv", "-rA", "--tb=long", "--junitxml=out.xml", "--json-report", "--json-report-file=out.json",
        "--reviewbench-fail-on-miss", *mode,
    )  # fmt: skip
    assert result.ret == 1
    written = [path for path in pytester.path.rglob("*") if path.is_file() and corpus not in path.parents]
    assert {"out.xml", "out.json", "report.json", "report.md", "manifest.json"} <= {path.name for path in written}
    assert [str(path) for path in written if "zanzibar" in path.read_text(errors="replace")] == []
    assert "zanzibar" not in f"{result.stdout}{result.stderr}"
