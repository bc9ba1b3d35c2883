"""`reviewbench corpus fetch | gc | add | mine`, as somebody calls them who has never done it before."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pytest_reviewbench.corpus.sources.cache import Cache
from pytest_reviewbench.model import Source
from tests.repositories import Repository
from tests.samples import CODE, PATCH, write_case
from tests.session.calls import reviewbench
from tests.unit.curate.conftest import BUGGY, FIXED, PROOF
from tests.unit.sources.conftest import Publish, publish

__all__ = ["publish"]

FILE = "package/a.py"


@pytest.fixture
def cache() -> Cache:
    """The one that the commands use."""
    return Cache(Path(os.environ["REVIEWBENCH_CACHE"]))


@pytest.fixture
def source(publish: Publish) -> Source:
    return publish(buggy={FILE: BUGGY}, fixed={FILE: FIXED}, before={FILE: FIXED + b"\n"}, mode="reverse-fix")


def candidate(source: Source, **keys: Any) -> dict[str, Any]:
    """An entry as they are handed around."""
    plain = {key: value for key, value in msgspec.to_builtins(source).items() if value is not None}
    return {
        **plain, "id": "py-0301", "lang": "python", "licence": "MIT", "upstream_url": "https://example.org/demo",
        "primary_file": FILE, "symptom": "Windows are too narrow.", "bug": "The width leaves out the last element.",
        "match": "width.{0,40}last element", "example": "The width does not count the last element.",
        "category": "logic", "severity": "medium", "reference": "changes 1.0.1", "proof": "proof.py",
        "proof_needs": [], "notes": {"other_truths_in_files": ["The name is built twice."]}, "diff_lines": 2,
        "analyser": {"tool": "t", "rule": "r", "also": [{"tool": "u", "rule": "s"}]}, **keys,
    }  # fmt: skip


CLEAN: dict[str, Any] = {
    "id": "py-0302", "category": "clean", "severity": "none", "bug": None, "match": None, "example": None,
    "symptom": None, "proof": None, "why_clean": "Only a name changes.", "analyser": None,
}  # fmt: skip


def write_candidates(folder: Path, *entries: Mapping[str, Any], proof: str = PROOF) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for entry in entries:
        if entry.get("proof"):
            (folder / entry["id"]).mkdir(exist_ok=True)
            (folder / entry["id"] / "proof.py").write_text(proof)
    (folder / "candidates.json").write_text(json.dumps(entries))
    return folder / "candidates.json"


def read(file: Path) -> Any:
    return json.loads(file.read_text())


def test_handed_candidates_become_cases_that_pass_the_check(tmp_path: Path, source: Source) -> None:
    unclear = candidate(source, id="something-that-tells", mode="intro")
    handed = write_candidates(tmp_path / "handed", candidate(source), candidate(source) | CLEAN, unclear)
    done = reviewbench(tmp_path, "corpus", "add", "handed/candidates.json", "--offline")
    assert done.returncode == 0, done.stderr
    corpus = tmp_path / "corpus"
    ids = ["py-0301", "py-0302", "py-0303"]
    assert [entry["id"] for entry in read(corpus / "manifest.json")] == ids
    for entry in read(corpus / "manifest.json"):
        train = int(hashlib.sha256(entry["id"].encode()).hexdigest(), 16) % 3 == 0
        assert entry["split"] == ("train" if train else "test")
    checked = reviewbench(tmp_path, "corpus", "check", "--offline")
    assert (checked.returncode, "0 errors" in checked.stdout) == (0, True), checked.stdout
    bug, meta = read(corpus / "py-0301/ground-truth.json")["bugs"][0], read(corpus / "py-0301/meta.json")
    assert (bug["file"], bug["line"], bug["severity"]) == (FILE, 3, "medium")
    assert meta["also_true"] == ["The name is built twice."]
    assert [table["tool"] for table in meta["analyser"]] == ["t", "u"]
    assert meta["source"]["buggy"] == {
        key: value for key, value in msgspec.to_builtins(source.buggy).items() if value is not None
    }
    assert (corpus / "py-0301/proof.py").read_text() == (handed.parent / "py-0301/proof.py").read_text()
    # Turned round, an upgrade would take away what it brings.
    assert read(corpus / "py-0302/meta.json")["source"]["mode"] == "forward"
    assert read(corpus / "py-0302/ground-truth.json")["bugs"] == []


def test_every_mistake_is_a_line_and_nothing_is_added(tmp_path: Path, source: Source) -> None:
    proofless = candidate(source, id="py-0311")
    handed = write_candidates(tmp_path / "handed", candidate(source), proofless, candidate(source, id="py-0312"))
    (handed.parent / "py-0311/proof.py").unlink()
    (handed.parent / "py-0312/proof.py").unlink()
    (handed.parent / "py-0312/proof.py").symlink_to("/etc/passwd")
    done = reviewbench(tmp_path, "corpus", "add", str(handed), "--offline")
    assert (done.returncode, done.stdout) == (2, "")
    lines = done.stderr.splitlines()
    assert lines[0].startswith("reviewbench: py-0311: ")
    assert "proof.py: cannot be read" in lines[0]
    assert "py-0312/proof.py: is a link" in lines[1]
    assert lines[2:] == ["reviewbench: nothing was added"]
    assert not (tmp_path / "corpus").exists()


WRONG: Mapping[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a hash": (lambda c: c["fixed"].update(sha256="ab" * 32), "is not in the cache"),
    "a file": (lambda c: c.update(files=["package/b.py"], primary_file=None), "neither in demo 1.0.1 nor in 1.0.0"),
    "a path": (lambda c: c.update(files=["../b.py"], primary_file=None), "'../b.py' is not a path inside a tree"),
    "the file of the bug": (lambda c: c.update(primary_file="package/b.py"), "none of $.files"),
    "a match": (lambda c: c.update(match="never"), "does not match the example that stands beside it"),
    "a regex": (lambda c: c.update(match="("), "does not compile"),
    "a mode": (lambda c: c.update(mode="backwards"), "$.mode: invalid enum value"),
    "a proof": (lambda c: c.update(proof="../proof.py"), "is none of proof.py"),
    "a folder": (lambda c: c.update(id="../py-0301"), "is no name of a folder"),
    "an id": (lambda c: c.update(id="py-0001"), "has a case 'py-0001' already, and nothing is overwritten"),
    "the same": (lambda c: c["buggy"].update(c["fixed"]), "the change shows nothing"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_candidate_that_cannot_be_used_is_refused_by_name(what: str, tmp_path: Path, source: Source) -> None:
    write_case(tmp_path / "corpus", "py-0001")
    before = sorted(tmp_path.glob("corpus/**/*"))
    change, wanted = WRONG[what]
    entry = candidate(source)
    change(entry)
    handed = write_candidates(tmp_path / "handed", entry | {"proof": None})
    handed.write_text(json.dumps([entry]))
    (tmp_path / "handed" / "py-0301").mkdir(exist_ok=True)
    (tmp_path / "handed" / "py-0301" / "proof.py").write_text(PROOF)
    (tmp_path / "handed" / "py-0001").mkdir(exist_ok=True)
    (tmp_path / "handed" / "py-0001" / "proof.py").write_text(PROOF)
    done = reviewbench(tmp_path, "corpus", "add", str(handed), "--offline")
    assert (done.returncode, done.stdout) == (2, ""), done
    assert wanted in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(tmp_path.glob("corpus/**/*")) == before


def test_a_growing_corpus_keeps_its_splits_and_what_others_wrote_in_its_index(
    tmp_path: Path, source: Source
) -> None:
    corpus = tmp_path / "corpus"
    for name in ("py-0007", "py-0310"):
        write_case(corpus, name, split="train")
    (corpus / "manifest.json").write_text(
        '[{"id": "py-0310", "split": "train"}, {"id": "py-0007", "split": "test", "fix_sha": "abc"}]'
    )
    handed = write_candidates(tmp_path / "handed", candidate(source, id="mine"))
    assert reviewbench(tmp_path, "corpus", "add", str(handed), "--offline").returncode == 0
    assert read(corpus / "manifest.json") == [
        {"id": "py-0310", "split": "train"},
        {"id": "py-0007", "split": "test", "fix_sha": "abc"},
        {"id": "py-0311", "split": "train"},
    ]


@pytest.fixture
def upstream(tmp_path: Path) -> tuple[Repository, dict[str, str]]:
    """A repository in which a commit brings a bug, and a later one mends it."""
    repository = Repository(tmp_path / "upstream")
    commits = {"first": repository.commit({"src/a.py": FIXED, "README.md": b"hello\n"}, "start")}
    commits["intro"] = repository.commit({"src/a.py": BUGGY}, "shorter")
    repository.commit({"src/b.py": b"x = 1\n"}, "fix a typo")
    repository.commit({"docs/a.md": b"x\n"}, "fix the wrong word")
    commits["fix"] = repository.commit(
        {"src/a.py": FIXED.replace(b"+ 1", b"+  1"), "tests/test_a.py": b"import a\n"}, "Fix width\n\nIt was wrong."
    )
    repository.commit({"src/b.py": b"x = 2\n"}, "change b")
    return repository, commits


def test_a_commit_becomes_a_skeleton_that_neither_the_check_nor_a_session_takes(
    tmp_path: Path, upstream: tuple[Repository, dict[str, str]]
) -> None:
    repository, commits = upstream
    asked = reviewbench(tmp_path, "corpus", "add", "--git", "upstream", commits["fix"])
    assert (asked.returncode, asked.stdout.split()) == (2, ["src/a.py", "+1", "-1"]), asked
    assert "--file=PATH" in asked.stderr
    assert not (tmp_path / "corpus").exists()
    words = [
        "corpus",
        "add",
        "--git",
        repository.url,
        commits["fix"],
        f"--intro={commits['intro']}",
        "--file=src/a.py",
    ]
    done = reviewbench(tmp_path, *words)
    assert done.returncode == 0, done.stderr
    meta = read(tmp_path / "corpus/py-0001/meta.json")
    pins = {name: pin["commit"] for name, pin in meta["source"].items() if isinstance(pin, dict)}
    assert pins == {"buggy": commits["intro"], "fixed": commits["fix"], "before": commits["first"]}
    assert (meta["published"], meta["source"]["mode"]) == ("2025-11-03", "intro")
    checked = reviewbench(tmp_path, "corpus", "check", "--offline")
    assert checked.returncode == 1
    for field in ("$.bugs[0].match", "$.licence", "$.symptom", "$.open[0]"):
        assert f"{field}: is still open (TODO)" in checked.stdout
    counted = reviewbench(tmp_path, "corpus", "stats")
    assert "is a skeleton with open fields (TODO); reviewbench corpus check py-0001 names them" in counted.stderr


def test_mined_fixes_have_the_commit_that_brought_the_bug_in_and_can_be_added(
    tmp_path: Path, upstream: tuple[Repository, dict[str, str]]
) -> None:
    _, commits = upstream
    done = reviewbench(tmp_path, "corpus", "mine", "--git", "upstream", "--out=found.json")
    assert done.returncode == 0, done.stderr
    (found,) = read(tmp_path / "found.json")
    assert found["fixed"] == {"commit": commits["fix"]}
    assert (found["buggy"], found["before"]) == ({"commit": commits["intro"]}, {"commit": commits["first"]})
    assert (found["files"], found["mode"]) == (["src/a.py"], "intro")
    assert not (tmp_path / "corpus").exists()
    again = reviewbench(tmp_path, "corpus", "mine", "--git", "upstream", "--out=found.json")
    assert (again.returncode, "nothing is overwritten" in again.stderr) == (2, True)
    added = reviewbench(tmp_path, "corpus", "add", "found.json", found["id"])
    assert added.returncode == 0, added.stderr
    inside = reviewbench(tmp_path, "corpus", "mine", "--git", "upstream", "--out=corpus/found.json")
    assert (inside.returncode, "would lie in the corpus" in inside.stderr) == (2, True)
    assert reviewbench(tmp_path, "corpus", "fetch", "--offline").returncode == 0


def test_a_change_of_one_s_own_is_committed_with_its_files(tmp_path: Path) -> None:
    (tmp_path / "change.patch").write_text(PATCH)
    (tmp_path / "code/pkg").mkdir(parents=True)
    (tmp_path / "code/pkg/a.py").write_text(CODE)
    (tmp_path / "code/pkg/b.py").write_bytes(b"y = 1\r\n")
    words = ["corpus", "add", "--patch=change.patch", "--context=code"]
    done = reviewbench(tmp_path, *words, "--file=pkg/b.py", "--id=own-1")
    assert done.returncode == 0, done.stderr
    home = tmp_path / "corpus/own-1"
    assert (home / "change.patch").read_text() == PATCH
    assert (home / "context/pkg/b.py").read_bytes() == b"y = 1\r\n"
    assert read(home / "ground-truth.json")["bugs"][0]["file"] == "pkg/a.py"
    again = reviewbench(tmp_path, *words, "--id=OWN-1")
    assert (again.returncode, "nothing is overwritten" in again.stderr) == (2, True)
    (tmp_path / "code/pkg/a.py").write_text(CODE.replace("[len(items)]", "[len(items) - 1]"))
    older = reviewbench(tmp_path, *words)
    assert older.returncode == 2
    assert "code/pkg/a.py: line 1 and those after it are not what change.patch leads to" in older.stderr


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["add"], "takes one of CANDIDATES.json, --pypi"),
        (["add", "x.json", "--npm", "a", "1", "2"], "got a candidates file and --npm"),
        (["add", "x.json"], "x.json: cannot be read"),
        (["add", "--npm", "a", "1", "2", "--intro=x"], "--intro: means nothing with --npm"),
        (["add", "--npm", "a;b", "1", "2"], "'a;b' is not the name of a package"),
        (["add", "--npm", "a", "../1", "2"], "'../1' is not a version"),
        (["add", "--git", "nowhere", "1" * 40], "neither a folder nor the URL"),
        (["add", "--git", "ext::sh", "1" * 40], "neither a folder nor the URL"),
        (["add", "--git", ".", "HEAD"], "'HEAD' is no full commit id"),
        (["add", "--patch=x.patch"], "x.patch: cannot be read"),
        (["mine", "--git", "nowhere"], "neither a folder nor the URL"),
        (["mine", "--git", "."], "the repository is not there"),
        (["mine", "--git", ".", "--since=yesterday"], "'yesterday' is no day"),
        (["fetch", "--corpus=no"], "no such corpus folder"),
        (["gc"], "no such corpus folder"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_no_corpus(words: list[str], wanted: str, tmp_path: Path) -> None:
    done = reviewbench(tmp_path, "corpus", *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    assert done.stderr.startswith("reviewbench: ")
    assert wanted in done.stderr
    assert not (tmp_path / "corpus").exists()


def test_everything_is_fetched_once_and_what_no_corpus_needs_is_removed(
    tmp_path: Path, cache: Cache, source: Source, publish: Publish, upstream: tuple[Repository, dict[str, str]]
) -> None:
    handed = write_candidates(tmp_path / "handed", candidate(source))
    assert reviewbench(tmp_path, "corpus", "add", str(handed), "--offline").returncode == 0
    words = ["corpus", "add", "--git", "upstream", upstream[1]["fix"], "--file=src/a.py"]
    assert reviewbench(tmp_path, *words, "--corpus=other").returncode == 0
    for path in cache.root.glob("changes/*"):
        path.unlink()
    for corpus, number in (("corpus", 3), ("other", 2)):
        done = reviewbench(tmp_path, "corpus", "fetch", f"--corpus={corpus}")
        assert done.returncode == 0, done
        assert f"{number} artefacts" in done.stdout
        assert "0 of them fetched now" in done.stdout
    both = ["corpus", "gc", "--corpus=corpus", "--corpus=other"]
    stray = cache.artefact("0" * 64)
    stray.write_bytes(b"x" * 2_000_000)
    said = reviewbench(tmp_path, *both, "--dry-run").stdout
    assert said.startswith("would be removed: 1 artefacts (2.0 MB)")
    assert stray.exists()
    assert reviewbench(tmp_path, *both).stdout.startswith("removed: 1 artefacts (2.0 MB)")
    assert not stray.exists()
    assert reviewbench(tmp_path, *both).stdout.startswith("removed: nothing")
    assert "removed: 2 artefacts, 2 trees, 4 changes" in reviewbench(tmp_path, "corpus", "gc").stdout
    assert reviewbench(tmp_path, "corpus", "fetch", "--offline").returncode == 0
    gone = reviewbench(tmp_path, "corpus", "fetch", "--offline", "--corpus=other")
    assert (gone.returncode, gone.stdout.count("error: meta.json: $.source.")) == (1, 2), gone
    assert reviewbench(tmp_path, "corpus", "fetch", "--corpus=other").returncode == 0


def test_a_case_that_cannot_be_read_keeps_others_from_nothing_but_removal(tmp_path: Path, source: Source) -> None:
    handed = write_candidates(tmp_path / "handed", candidate(source), candidate(source, id="py-0305"))
    assert reviewbench(tmp_path, "corpus", "add", str(handed), "--offline").returncode == 0
    (tmp_path / "corpus/py-0305/meta.json").write_text("{")
    done = reviewbench(tmp_path, "corpus", "fetch", "--offline")
    assert (done.returncode, done.stdout.splitlines()[0][:24]) == (1, "py-0305: error: meta.jso")
    assert "1 cases with pinned code: 3 artefacts" in done.stdout
    removed = reviewbench(tmp_path, "corpus", "gc")
    assert (removed.returncode, "nothing was removed" in removed.stderr) == (2, True)
