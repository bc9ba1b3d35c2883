"""A check finds whatever is wrong with a case, says where, and goes on to the next one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from pytest_reviewbench.contain.preflight import probe
from pytest_reviewbench.errors import CorpusError
from tests.unit.curate.conftest import BUG, NEIGHBOUR, PROOF, Corpus

T, M = "ground-truth.json", "meta.json"
MATCH, LINE = rf"error: {T}: \$.bugs\[0\].match", rf"error: {T}: \$.bugs\[0\].line"


def test_a_sound_corpus_has_nothing_wrong_and_its_proof_holds(corpus: Corpus) -> None:
    found = corpus.check(proofs=True)
    assert {name: one.problems for name, one in found.items()} == {"py-1": (), "py-2": ()}
    proved = found["py-1"].proved
    assert proved is not None
    assert (proved.exits, proved.reason) == ({"buggy": 1, "fixed": 0}, None)
    assert found["py-2"].proved is not None
    assert found["py-2"].proved.reason == "clean control"


def test_proofs_run_in_the_sandbox_as_well(corpus: Corpus) -> None:
    corpus.means.children.sandbox = probe(corpus.means.children)
    if corpus.means.children.sandbox.program is None:
        pytest.skip(f"no sandbox on this machine: {corpus.means.children.sandbox.reason}")
    proved = corpus.check("py-1", proofs=True)["py-1"].proved
    assert proved is not None
    assert proved.exits == {"buggy": 1, "fixed": 0}


def edit(name: str, **keys: object) -> Callable[[Corpus], None]:
    return lambda corpus: corpus.edit(name, **keys)


def another_file_is_pinned(corpus: Corpus) -> None:
    meta = json.loads((corpus.folder / "py-1" / M).read_text())
    meta["source"]["fixed"]["sha256"] = "0" * 64
    corpus.write(M, json.dumps(meta))


def damage_the_cache(corpus: Corpus) -> None:
    for file in (corpus.means.cache.root / "artefacts").iterdir():
        file.write_bytes(b"x")


def take_the_neighbour(corpus: Corpus) -> None:
    first = BUG | {"match": "last element|built twice"}
    second = BUG | {
        "id": "b2",
        "match": "built twice",
        "bug": NEIGHBOUR,
        "example": NEIGHBOUR,
        "line": 7,
        "end_line": 7,
    }
    corpus.write(T, json.dumps({"matcher_version": 1, "bugs": [first, second]}))


SPOILS: dict[str, tuple[Callable[[Corpus], None], str]] = {
    "no JSON": (lambda corpus: corpus.write(T, "{"), f"error: {T}: .*"),
    "a regex that does not compile": (edit(T, match="(last"), rf"{MATCH}: .*compile.*"),
    "a regex that refuses its example": (edit(T, match="no such thing"), rf"{MATCH}: .*example.*"),
    "a regex that anything satisfies": (edit(T, match="."), rf"{MATCH}: accepts a remark.*"),
    "a regex that repeats the symptom": (
        edit(T, match="last element|too narrow"),
        rf"{MATCH}: accepts the symptom.*",
    ),
    "a regex that takes its neighbour's": (
        take_the_neighbour,
        rf"{MATCH}: accepts the example of its neighbour b2.*",
    ),
    "a file that the change does not touch": (edit(T, file="package/b.py"), rf"error: {T}: \$.bugs\[0\].file: .*"),
    "a place behind the file": (edit(T, line=90, end_line=91), rf"{LINE}: the file has 7 lines.*"),
    "a place without code": (edit(T, line=4, end_line=5), rf"{LINE}: touches no line of code.*"),
    "a place on a comment": (edit(T, line=1, end_line=1), rf"{LINE}: touches no line of code.*"),
    "an open field": (edit(M, symptom="TODO: what users see"), rf"error: {M}: \$.symptom: is still open.*"),
    "an open field of the truth": (edit(T, bug="TODO"), rf"error: {T}: \$.bugs\[0\].bug: is still open.*"),
    "a date that is none": (edit(M, published="2025-13-40"), rf"error: {M}: \$.published: is no date"),
    "a class that is none": (edit(M, **{"class": "huge"}), rf"warning: {M}: \$.class: .*"),
    "no licence": (edit(M, licence=None), rf"warning: {M}: \$.licence: is missing"),
    "a pin of another file": (another_file_is_pinned, rf"error: {M}: \$.source.fixed: .*"),
    "a damaged cache": (damage_the_cache, rf"error: {M}: \$.source.buggy: .*"),
    "no proof": (lambda corpus: (corpus.folder / "py-1" / "proof.py").unlink(), "warning: proof.py: is missing.*"),
}


@pytest.mark.parametrize("kind", SPOILS)
def test_what_is_wrong_is_said_with_case_and_field(corpus: Corpus, kind: str) -> None:
    spoil, expected = SPOILS[kind]
    spoil(corpus)
    said = corpus.said()
    assert [line for line in said if re.fullmatch(expected, line)], said


@pytest.mark.parametrize("kind", SPOILS)
def test_what_is_wrong_with_one_case_hides_no_other(corpus: Corpus, kind: str) -> None:
    if kind == "a damaged cache":
        return
    spoil, _ = SPOILS[kind]
    spoil(corpus)
    assert corpus.check()["py-2"].problems == ()


PROOFS = {
    "that says yes to anything": ("raise SystemExit(1)", "error: proof.py: on the fixed tree: exit code 1 .*"),
    "that says no to anything": ("raise SystemExit(0)", "error: proof.py: on the buggy tree: exit code 0 .*"),
    "that does not work": (PROOF.replace("import a", "import no_such"), "error: proof.py: .*did not work.*"),
    "that dies": ("import os; os.abort()", "error: proof.py: on the buggy tree: .*did not work.*"),
    "that asks for what is not there": (
        PROOF.replace("a.width(1, 2)", "a.version"),
        "error: proof.py: .*did not work.*",
    ),
}


@pytest.mark.parametrize("kind", PROOFS)
def test_a_proof_is_refused(corpus: Corpus, kind: str) -> None:
    text, expected = PROOFS[kind]
    (corpus.folder / "py-1" / "proof.py").write_text(text)
    said = corpus.said(proofs=True)
    assert [line for line in said if re.fullmatch(expected, line)], said


def test_a_proof_leaves_no_trace_and_spoils_no_tree(corpus: Corpus) -> None:
    greedy = PROOF.replace("import a\n", "import a, shutil\n    shutil.rmtree(os.path.join(root, 'package'))\n")
    (corpus.folder / "py-1" / "proof.py").write_text(greedy)
    before = sorted(path.name for path in corpus.folder.parent.iterdir())
    assert corpus.said(proofs=True) == []
    assert corpus.said(proofs=True) == []
    assert sorted(path.name for path in corpus.folder.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("needs", "reason"),
    [
        (["no-such-program"], "needs the program no-such-program"),
        (["sh", "bash >= 99"], "needs bash 99 or newer"),
        (["demo==1.0"], "needs demo==1.0, which are not in the cache"),
        (["a or b"], "needs 'a or b', which is neither name==version nor a program"),
    ],
)
def test_what_is_not_provable_here_is_said_with_its_reason(corpus: Corpus, needs: list[str], reason: str) -> None:
    corpus.edit(M, proof_needs=needs)
    proved = corpus.check("py-1", proofs=True)["py-1"].proved
    assert proved is not None
    assert (proved.reason, proved.exits, proved.problems) == (reason, {}, ())


def test_the_machine_must_not_stand_in_for_what_a_proof_needs(corpus: Corpus) -> None:
    (corpus.folder / "py-1" / "proof.py").write_text(PROOF.replace("import a\n", "import a, pytest\n"))
    assert "did not work" in "".join(corpus.said(proofs=True))


def test_an_unknown_case_and_a_missing_index_end_the_check(corpus: Corpus) -> None:
    with pytest.raises(CorpusError, match="has no case 'py-9'"):
        corpus.check("py-9")
    (corpus.folder / "manifest.json").unlink()
    with pytest.raises(CorpusError, match=r"manifest\.json: missing"):
        corpus.check()


def test_an_entry_without_a_folder_is_only_checked_when_asked_for(corpus: Corpus) -> None:
    assert set(corpus.check()) == {"py-1", "py-2"}
    assert [str(one) for one in corpus.check("py-3")["py-3"].problems] == [
        "case: is not a folder; every case is one"
    ]
