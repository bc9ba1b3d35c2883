"""A corpus whose files are wrong, or traps: one clear line, exit status 4, nothing hangs, nothing leaks."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.samples import BUG, HIT, PATCH, records, say, write_case, write_project
from tests.session.hostile import assert_refused

ARMED = "--reviewbench-arm=echo"
SECRET = "zanzibar"
TRUTH = {**BUG, "bug": f"{SECRET} is dropped", "match": f"{SECRET}|off", "example": f"the {SECRET} is lost"}

Spoil = Callable[[Path, Path], Any]


def truth(home: Path, **changes: Any) -> None:
    (home / "ground-truth.json").write_text(json.dumps({"bugs": [{**TRUTH, **changes}]}))


def meta(home: Path, **keys: Any) -> None:
    (home / "meta.json").write_text(json.dumps({"lang": "python", **keys}))


def source(home: Path, **changes: Any) -> None:
    pin = {"version": "1.0", "filename": "demo-1.0-py3-none-any.whl", "sha256": "0" * 64}
    whole: dict[str, Any] = {"ecosystem": "pypi", "package": "demo", "buggy": pin, "fixed": pin, "files": ["a.py"]}
    spoilt = {key: {**whole[key], **value} if isinstance(value, dict) else value for key, value in changes.items()}
    meta(home, source={**whole, "mode": "reverse-fix", **spoilt})


def index(corpus: Path, *ids: Any, split: str = "test") -> None:
    (corpus / "manifest.json").write_text(json.dumps([{"id": case, "split": split} for case in ids]))


def instead(path: Path, make: Callable[[Path], Any]) -> None:
    path.unlink()
    make(path)


def repository(path: Path) -> None:
    path.mkdir()
    (path / "config").write_text("[core]\n")


def linked(path: Path) -> None:
    away = path.parent.parent / f"away-{path.name}"
    path.rename(away)
    path.symlink_to(away)


MANIFEST: dict[str, tuple[Spoil, str]] = {
    "empty": (lambda c, h: (c / "manifest.json").write_bytes(b""), "manifest.json: not JSON"),
    "an object": (lambda c, h: (c / "manifest.json").write_text("{}"), "manifest.json: $: expected a list"),
    "words for entries": (lambda c, h: (c / "manifest.json").write_text('["a"]'), "manifest.json: $[0]: expected"),
    "unknown split": (lambda c, h: index(c, "py-1", split="dev"), "manifest.json: $[0].split: "),
    "an id twice": (lambda c, h: index(c, "py-1", "py-1"), "manifest.json: $[1].id: 'py-1' stands already at $[0]"),
    "an id twice, case aside": (lambda c, h: index(c, "py-1", "PY-1"), "$[1].id: 'PY-1' stands already at $[0]"),
    "an id with ..": (
        lambda c, h: index(c, "py-1", "../py-1"),
        "manifest.json: $[1].id: '../py-1' is not a case id",
    ),
    "an id like an option": (lambda c, h: index(c, "--foo"), "$[0].id: '--foo' is not a case id"),
    "an id like a short option": (lambda c, h: index(c, "-x"), "$[0].id: '-x' is not a case id"),
    "an id with a line feed": (lambda c, h: index(c, "py-1\n"), "$[0].id: 'py-1\\n' is not a case id"),
    "an id of 10,000 characters": (lambda c, h: index(c, "a" * 10_000), "$[0].id: 'aaaa"),
    "an id that is a number": (lambda c, h: index(c, 7), "manifest.json: $[0].id: expected `str`"),
    "a reserved twin": (lambda c, h: index(c, "py-1.twin"), "$[0].id: 'py-1.twin' ends in a reserved suffix"),
    "a reserved rep": (lambda c, h: index(c, "py-1.r2"), "$[0].id: 'py-1.r2' ends in a reserved suffix"),
    "10,000 deep": (
        lambda c, h: (c / "manifest.json").write_text(
            '[{"id": "a", "split": "test"}, ' + "[" * 10_000 + "]" * 10_001
        ),
        "manifest.json: nested too deeply",
    ),
    "not UTF-8": (
        lambda c, h: (c / "manifest.json").write_bytes(b'["\xff"]'),
        "manifest.json: not UTF-8 at byte 2",
    ),
    "NaN": (lambda c, h: (c / "manifest.json").write_text('[{"id": "a", "x": NaN}]'), "$[0].x: NaN is not a JSON"),
    "a folder": (lambda c, h: instead(c / "manifest.json", Path.mkdir), "manifest.json: is not a regular file"),
    "a FIFO": (lambda c, h: instead(c / "manifest.json", os.mkfifo), "manifest.json: is not a regular file"),
    "a device": (
        lambda c, h: instead(c / "manifest.json", lambda p: p.symlink_to("/dev/zero")),
        "manifest.json: is a link",
    ),
    "a link": (lambda c, h: linked(c / "manifest.json"), "manifest.json: is a link"),
    "absent": (lambda c, h: (c / "manifest.json").unlink(), "manifest.json: missing"),
    "33 MB": (
        lambda c, h: os.truncate(c / "manifest.json", 33 << 20),
        "manifest.json: larger than 33,554,432 bytes (34,603,008)",
    ),
}

CASE: dict[str, tuple[Spoil, str]] = {
    "a linked folder": (lambda c, h: linked(h), "py-1: is a link"),
    "a file for a folder": (
        lambda c, h: (h.rename(c / "away"), h.write_text("")),
        "py-1: is not a folder",
    ),
    "no truth": (lambda c, h: (h / "ground-truth.json").unlink(), "ground-truth.json: missing"),
    "no metadata": (lambda c, h: (h / "meta.json").unlink(), "meta.json: missing"),
    "a FIFO for the truth": (lambda c, h: instead(h / "ground-truth.json", os.mkfifo), "is not a regular file"),
    "a linked truth": (lambda c, h: linked(h / "ground-truth.json"), "ground-truth.json: is a link"),
    "a linked patch": (lambda c, h: linked(h / "change.patch"), "change.patch: is a link"),
    "a linked context": (lambda c, h: linked(h / "context"), "context: is a link"),
    "a dangling link": (lambda c, h: (h / "notes").symlink_to("/nowhere"), "notes: is a link"),
    "a link in the context": (
        lambda c, h: (h / "context" / "pkg" / "passwd").symlink_to("/etc/passwd"),
        "context/pkg/passwd: is a link",
    ),
    "a FIFO in the context": (
        lambda c, h: os.mkfifo(h / "context" / "pipe"),
        "context/pipe: is not a regular file",
    ),
    "a repository in the context": (
        lambda c, h: repository(h / "context" / ".git"),
        "context/.git/config: a tree must not hold a git repository",
    ),
    "10,000 files in the context": (
        lambda c, h: [(h / "context" / f"{n}.txt").write_bytes(b"") for n in range(10_000)],
        "context: more than 5000 files",
    ),
    "no patch": (lambda c, h: (h / "change.patch").unlink(), "has neither change.patch nor a source"),
    "a FIFO for the patch": (lambda c, h: instead(h / "change.patch", os.mkfifo), "py-1"),
    "a patch of 100 MB": (
        lambda c, h: os.truncate(h / "change.patch", 100_000_000),
        "change.patch: larger than 8,388,608 bytes (100,000,000)",
    ),
    "a patch of prose": (lambda c, h: (h / "change.patch").write_text("hello\n"), "change.patch: holds no change"),
    "a cut patch": (lambda c, h: (h / "change.patch").write_text(PATCH[:-8]), "change.patch: not a unified diff"),
    "a patch out of its tree": (
        lambda c, h: (h / "change.patch").write_text(PATCH.replace("pkg/a.py", "../../x.py")),
        "change.patch: the path '../../x.py' does not stay inside",
    ),
    "a patch of an absolute path": (
        lambda c, h: (h / "change.patch").write_text(PATCH.replace("a/pkg", "/etc").replace("b/pkg", "/etc")),
        "change.patch: the path '/etc/a.py' does not stay inside",
    ),
    "a language with a line feed": (lambda c, h: meta(h, lang="py\nx: y"), "meta.json: $.lang: "),
    "a language with a colon": (lambda c, h: meta(h, lang="py: x"), "meta.json: $.lang: "),
    "a class with an option": (lambda c, h: meta(h, **{"class": "a b"}), "meta.json: $.class: "),
    "a kind with a bracket": (lambda c, h: meta(h, kinds=["review(x)"]), "meta.json: $.kinds[0]: "),
    "a package like an option": (lambda c, h: source(h, package="--index-url=x"), "meta.json: $.source.package: "),
    "a package with ..": (lambda c, h: source(h, package="../demo"), "meta.json: $.source.package: "),
    "a version with a space": (lambda c, h: source(h, buggy={"version": "1 --pre"}), "$.source.buggy.version: "),
    "a version like an option": (lambda c, h: source(h, fixed={"version": "-r"}), "$.source.fixed.version: "),
    "an artefact with ..": (lambda c, h: source(h, fixed={"filename": "../x.whl"}), "$.source.fixed.filename: "),
    "an artefact like an option": (
        lambda c, h: source(h, buggy={"filename": "-x.whl"}),
        "$.source.buggy.filename: ",
    ),
    "a hash that is none": (lambda c, h: source(h, buggy={"sha256": "../../etc"}), "$.source.buggy.sha256: "),
    "a file with ..": (lambda c, h: source(h, files=["a.py", "../b.py"]), "$.source.files[1]: '../b.py' is not"),
    "an absolute file": (lambda c, h: source(h, files=["/etc/passwd"]), "$.source.files[0]: '/etc/passwd' is not"),
    "intro without before": (lambda c, h: source(h, mode="intro"), "meta.json: $.source: mode 'intro' needs"),
    "truth of a wrong type": (lambda c, h: truth(h, match=["x"]), "ground-truth.json: $.bugs[0].match: expected"),
    "a line that is a word": (lambda c, h: truth(h, line="two"), "ground-truth.json: $.bugs[0].line: expected"),
    "a line that is true": (lambda c, h: truth(h, line=True), "ground-truth.json: $.bugs[0].line: expected"),
    "lines upside down": (lambda c, h: truth(h, line=5, end_line=2), "$.bugs[0].end_line: 2 is before line 5"),
    "a bug out of the tree": (lambda c, h: truth(h, file="../a.py"), "$.bugs[0].file: '../a.py' is not a path"),
    "a bug of another file": (
        lambda c, h: truth(h, file="b.py"),
        "$.bugs[0].file: the change does not touch 'b.py'",
    ),
    "half a surrogate": (
        lambda c, h: truth(h, bug=f"{SECRET} \ud800"),
        "ground-truth.json: $.bugs[0].bug: half of a surrogate pair",
    ),
    "a key twice": (
        lambda c, h: (h / "ground-truth.json").write_text('{"bugs": [{"match": "a", "match": "b"}]}'),
        "ground-truth.json: $.bugs[0]: the key 'match' stands twice",
    ),
    "a regex that does not compile": (
        lambda c, h: truth(h, match=f"(?P<{SECRET}>a)(?P<{SECRET}>b)"),
        "ground-truth.json: $.bugs[0].match: the regex does not compile",
    ),
    "a regex that misses its example": (
        lambda c, h: truth(h, match=f"{SECRET}s"),
        "ground-truth.json: $.bugs[0].match: does not match the example",
    ),
    "a regex that explodes": (
        lambda c, h: truth(h, match=f"({SECRET}|(a|a)*b)", example="a" * 60),
        "ground-truth.json: $.bugs[0].match: the regex takes over 1 s",
    ),
    "a truth of 3 MB": (
        lambda c, h: (h / "ground-truth.json").write_text(json.dumps({"bugs": [], "notes": SECRET * 400_000})),
        "ground-truth.json: larger than 2,097,152 bytes",
    ),
}


def session(pytester: pytest.Pytester, spoil: Spoil, *words: str) -> pytest.RunResult:
    corpus = pytester.path / "corpus"
    home = write_case(corpus, "py-1", bugs=[TRUTH])
    write_project(pytester.path, {"echo": say([HIT])})
    spoil(corpus, home)
    return pytester.runpytest_inprocess(ARMED, *words)


@pytest.mark.parametrize("name", MANIFEST)
def test_a_bad_index_is_one_line_with_its_json_path(pytester: pytest.Pytester, name: str) -> None:
    spoil, said = MANIFEST[name]
    assert_refused(session(pytester, spoil), str(pytester.path / "corpus"), said)


@pytest.mark.parametrize("name", CASE)
def test_a_bad_case_is_one_line_that_names_the_file_and_nothing_of_the_truth(
    pytester: pytest.Pytester, name: str
) -> None:
    spoil, said = CASE[name]
    result = session(pytester, spoil, "-vv", "--tb=long", "--junitxml=out.xml")
    assert_refused(result, str(pytester.path / "corpus" / "py-1"), said)
    assert SECRET not in f"{result.stdout}{result.stderr}"
    assert not any(SECRET in path.read_text() for path in pytester.path.glob("out.xml"))
    assert not (pytester.path / ".reviewbench" / "runs").exists()


@pytest.mark.parametrize("name", ["a regex that explodes", "a patch of 100 MB"])
def test_with_xdist_a_bad_case_is_one_line_as_well(pytester: pytest.Pytester, name: str) -> None:
    corpus = pytester.path / "corpus"
    home = write_case(corpus, "py-1", bugs=[TRUTH])
    write_project(pytester.path, {"echo": say([HIT])})
    spoil, said = CASE[name]
    spoil(corpus, home)
    assert_refused(pytester.runpytest_subprocess(ARMED, "-n", "2"), str(home), said)


ACCEPTED: dict[str, Spoil] = {
    "a byte order mark": lambda c, h: [
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes()) for path in (c / "manifest.json", h / "meta.json")
    ],
    "CRLF": lambda c, h: (h / "change.patch").write_bytes(PATCH.replace("\n", "\r\n").encode()),
    "no newline at the end": lambda c, h: (h / "change.patch").write_bytes(
        PATCH.encode().removesuffix(b"\n") + b"\n\\ No newline at end of file\n"
    ),
    "Unicode line ends": lambda c, h: (h / "change.patch").write_text(
        PATCH.replace("# end", "# \u2028 \x85 \x0c \x1c \x0b @@ -1 +1 @@ end"), newline=""
    ),
    "Latin-1 in the patch": lambda c, h: (h / "change.patch").write_bytes(
        PATCH.encode().replace(b"end", b"\xe9nd")
    ),
    "entries without folders": lambda c, h: index(c, "py-1", "py-2", "test-0123456789"),
    "unknown keys": lambda c, h: meta(h, anything={"at": ["all"]}, url="https://example.org/x"),
    "a bug without a place": lambda c, h: truth(h, id=None, file=None, line=None, end_line=None),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_only_unusual_is_reviewed_and_matched(pytester: pytest.Pytester, name: str) -> None:
    result = session(pytester, ACCEPTED[name])
    assert result.ret == 0, result.outlines
    assert list(records(pytester.path, "matches")["py-1"]["hits"].values()) == [["1" if "place" in name else "b1"]]


def test_a_public_manifest_loads_and_says_how_many_cases_are_not_there(pytester: pytest.Pytester) -> None:
    result = session(pytester, ACCEPTED["entries without folders"])
    result.stdout.fnmatch_lines(["*1 of 1 cases*2 listed without a folder, skipped"])


def test_odd_files_are_warnings_that_cannot_speak_to_the_terminal(pytester: pytest.Pytester) -> None:
    def spoil(corpus: Path, home: Path) -> None:
        os.mkfifo(os.fsencode(corpus) + b"/\x1b[2J\xff\nINTERNALERROR")
        (home / "\x1b]0;title\x07").write_text("")
        truth(home, **{"\x1b[31m\nnote": 1})

    result = session(pytester, spoil)
    assert result.ret == 0
    assert sum("warning: " in line for line in result.outlines) == 3
    assert "\x1b[2J" not in str(result.stdout)
    assert "\x1b]0;" not in str(result.stdout)
    assert "\x1b[31m\n" not in str(result.stdout)
    assert not any(line.startswith(("INTERNALERROR", "note")) for line in result.outlines)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--reviewbench-case=--foo"], "--foo"),
        (["--reviewbench-case=-x"], "-x"),
        (["--reviewbench-case=" + "a" * 10_000], "aaaa"),
        (["--reviewbench-case=py-1", "--reviewbench-case=../py-1"], "../py-1"),
        (["--reviewbench-arm=--foo"], "--foo"),
        (["--reviewbench-arm=../echo"], "../echo"),
        (["--reviewbench-corpus=nowhere"], "nowhere: no such corpus folder"),
        (["--reviewbench-corpus=pyproject.toml"], "pyproject.toml: no such corpus folder"),
    ],
)
def test_names_are_never_taken_for_options_or_paths(pytester: pytest.Pytester, words: list[str], said: str) -> None:
    assert_refused(session(pytester, lambda c, h: None, *words), said)
