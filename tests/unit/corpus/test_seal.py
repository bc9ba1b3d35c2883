"""What is sealed is what was there, only its key opens it, and everything that is computed stays the same."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.corpus import seal as sealing_format
from pytest_reviewbench.corpus.case_files import proof_name, read_file
from pytest_reviewbench.corpus.digest import corpus_sha256
from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.corpus.layout import is_corpus
from pytest_reviewbench.corpus.loaded import Corpus
from pytest_reviewbench.corpus.seal import open_text, seal_text
from pytest_reviewbench.corpus.seal_key import VARIABLE, Seal, given_key, new_key, read_seal
from pytest_reviewbench.curate import sealing
from pytest_reviewbench.curate.sealing import seal_corpus, unseal_corpus
from pytest_reviewbench.errors import CorpusError, ReviewbenchError, SettingsError
from tests.samples import BUG, write_case

PRIVATE, PUBLIC = new_key()
OTHER, _ = new_key()
KEY, STRANGE = {VARIABLE: PRIVATE}, {VARIABLE: OTHER}
PIN = {"version": "1.2.0", "filename": "demo-1.2.0-py3-none-any.whl", "sha256": "a" * 64}
SOURCE = {
    "ecosystem": "pypi",
    "package": "demo",
    "buggy": PIN,
    "fixed": {"version": "1.2.1", "filename": "demo-1.2.1-py3-none-any.whl", "sha256": "f" * 64},
    "files": ["pkg/a.py"],
    "mode": "reverse-fix",
}
TELLING = ("one past its end", "off[- ]by", "loop reads", "slow lists", "CVE-1", "1.2.1", "f" * 64, "shows it")


@pytest.fixture(name="corpus")
def _corpus(tmp_path: Path) -> Path:
    """Two test cases and a train case; one with other line endings and a byte order mark."""
    folder = tmp_path / "corpus"
    about = {"symptom": "slow lists", "reference": "CVE-1", "class": "local", "also_true": ["loop reads"]}
    home = write_case(folder, "py-1", patch=None, context={}, meta={**about, "source": SOURCE})
    (home / "proof.py").write_bytes(b"# shows it\r\n")
    (home / "README.md").write_bytes("\ufeffone past its end ä\n".encode())
    write_case(folder, "py-2", bugs=[], meta={"why_clean": "a rename"})
    write_case(folder, "py-3", split="train", bugs=[BUG | {"match": "past the end"}])
    return folder


def sealed(corpus: Path) -> Path:
    key = given_key(KEY)
    assert key is not None
    seal_corpus(corpus, key)
    return corpus


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def loaded(corpus: Path, environ: Mapping[str, str] = KEY) -> Corpus:
    return load_corpus(corpus, None, environ)


def test_a_sealed_corpus_is_the_same_corpus(corpus: Path) -> None:
    before = loaded(corpus, {})
    identity = corpus_sha256(before)
    after = loaded(sealed(corpus))
    assert [(c.id, c.meta, c.truth) for c in before.cases.values()] == [
        (c.id, c.meta, c.truth) for c in after.cases.values()
    ]
    assert corpus_sha256(after) == identity
    assert after.warnings == ()
    case = after.cases["py-1"]
    assert (proof_name(case), read_file(case, "proof.py")) == ("proof.py", b"# shows it\r\n")


def test_nothing_that_stays_readable_tells_the_answer(corpus: Path) -> None:
    train = files(corpus / "py-3")
    before, after = files(corpus), files(sealed(corpus))
    for telling in TELLING:
        assert any(telling.encode() in data for name, data in before.items() if not name.startswith("py-3"))
        assert not any(telling.encode() in data for name, data in after.items() if not name.startswith("py-3"))
    assert files(corpus / "py-3") == train
    assert json.loads(after["py-1/meta.json"]).keys() == {"lang", "licence", "source", "sealed"}
    assert json.loads(after["py-1/meta.json"])["source"]["buggy"] == PIN


def test_unsealed_it_is_what_it_was_byte_for_byte(corpus: Path) -> None:
    before = files(corpus)
    unseal_corpus(sealed(corpus), read_seal(corpus, KEY))
    assert {name: data for name, data in files(corpus).items() if name in before} == before
    assert loaded(corpus, {}).warnings == ()


def test_only_what_was_edited_is_encrypted_anew(corpus: Path) -> None:
    first = files(sealed(corpus))
    assert files(sealed(corpus)) == first, "sealed twice"
    unseal_corpus(corpus, read_seal(corpus, KEY))
    assert files(sealed(corpus)) == first, "unsealed and sealed"
    unseal_corpus(corpus, read_seal(corpus, KEY))
    (corpus / "py-2" / "meta.json").write_text('{"lang": "python", "why_clean": "two renames"}')
    last = files(sealed(corpus))
    assert {name for name in first if first[name] != last[name]} == {"py-2/sealed.age", "py-2/meta.json"}
    assert loaded(corpus).cases["py-2"].meta.why_clean == "two renames"


@pytest.mark.parametrize(("way", "step"), [*(("seal", n) for n in range(9)), *(("unseal", n) for n in range(6))])
def test_an_end_in_the_middle_loses_nothing(
    corpus: Path, way: str, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step-th change of a file does not happen; what is done again afterwards completes it."""
    before = files(corpus)
    if way == "unseal":
        sealed(corpus)
    left = [step]

    def dying(change: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            if left[0] == 0:
                raise KeyboardInterrupt
            left[0] -= 1
            return change(*args)

        return call

    with monkeypatch.context() as patched:
        patched.setattr(sealing, "_replace", dying(sealing._replace))
        patched.setattr(Path, "unlink", dying(Path.unlink))
        try:
            sealed(corpus) if way == "seal" else unseal_corpus(corpus, read_seal(corpus, KEY))
        except KeyboardInterrupt:
            pass
        else:
            pytest.fail(f"{way} makes fewer changes than {step + 1}: lower the range")
    shutil.copytree(corpus, corpus.parent / "copy")
    sealed(corpus)
    assert not any(telling.encode() in data for telling in TELLING for data in files(corpus / "py-1").values())
    for folder in (corpus, corpus.parent / "copy"):
        unseal_corpus(folder, read_seal(folder, KEY))
        assert {name: data for name, data in files(folder).items() if name in before} == before


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({}, f"sealed.age: is sealed, and {VARIABLE} is not set; it takes the key for "),
        (STRANGE, f"sealed.age: is sealed, and {VARIABLE} is another key than the one that "),
    ],
    ids=["no key", "another key"],
)
def test_without_its_key_a_test_case_is_one_line_and_train_can_be_used(
    corpus: Path, environ: dict[str, str], said: str
) -> None:
    whole = corpus_sha256(loaded(sealed(corpus)))
    found = loaded(corpus, environ)
    assert (list(found.cases), list(found.locked)) == (["py-3"], ["py-1", "py-2"])
    assert [case.id for case in found.select("train")] == ["py-3"]
    assert corpus_sha256(found) == whole
    assert len(found.warnings) == 1
    for split, ids in (("test", ()), ("all", ()), ("train", ("py-2",))):
        with pytest.raises(CorpusError) as e:
            found.select(split, ids)
        assert said in str(e.value)
    with pytest.raises(CorpusError, match="is sealed"):
        unseal_corpus(corpus, read_seal(corpus, environ))


def test_a_key_may_be_a_file_with_remarks(corpus: Path, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(f"# created by hand\n{PRIVATE}\n")
    assert loaded(sealed(corpus), {VARIABLE: str(file)}).locked == {}
    assert read_seal(corpus, STRANGE, file).key is not None, "--key comes first"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("AGE-SECRET-KEY-1QQQQ", "is not a key of age"),
        ("{cut}", "is not a key of age"),
        ("no/such/file", "neither a key"),
        ("{two}", "holds 2 keys"),
        ("{none}", "holds no keys"),
    ],
)
def test_what_is_no_key_is_said_without_repeating_it(corpus: Path, tmp_path: Path, value: str, said: str) -> None:
    (tmp_path / "two").write_text(f"{PRIVATE}\n{OTHER}\n")
    (tmp_path / "none").write_text("AGE-SECRET")
    value = value.format(cut=PRIVATE[:-1], two=tmp_path / "two", none=tmp_path / "none")
    with pytest.raises(SettingsError) as e:
        loaded(sealed(corpus), {VARIABLE: value})
    assert said in str(e.value)
    assert "QQQQ" not in str(e.value)
    assert PRIVATE[:-1] not in str(e.value)


def parcel(case: str = "py-1", **named: str) -> Callable[[Path], object]:
    content = {"schema": 1, "case": case, "files": {"meta.json": "{}", "ground-truth.json": "{}", **named}}
    data = sealing_format._encrypted(json.dumps(content).encode(), PUBLIC)
    return lambda corpus: (corpus / "py-1" / "sealed.age").write_bytes(data)


def cut(corpus: Path) -> None:
    file = corpus / "py-1" / "sealed.age"
    file.write_bytes(file.read_bytes()[:-1])


def linked(corpus: Path) -> None:
    file = corpus / "py-1" / "sealed.age"
    file.rename(corpus / "elsewhere")
    file.symlink_to("../elsewhere")


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "cut": (cut, "py-1/sealed.age: cannot be opened; it is damaged"),
    "empty": (lambda c: (c / "py-1/sealed.age").write_bytes(b""), "py-1/sealed.age: cannot be opened"),
    "of another case": (
        lambda c: shutil.copy(c / "py-2/sealed.age", c / "py-1/sealed.age"),
        "holds the case 'py-2'",
    ),
    "a file outside": (parcel(**{"../../x": "x"}), "holds '../../x', which is no file of a case"),
    "a conftest.py": (parcel(**{"conftest.py": "x"}), "holds 'conftest.py', which is no file of a case"),
    "another truth": (parcel(), "py-1/meta.json: $: object missing required field `lang`"),
    "no public key": (lambda c: (c / "seal.pub").unlink(), "py-1/sealed.age: no seal.pub beside the index"),
    "two public keys": (lambda c: (c / "seal.pub").write_text("age1a\nage1b\n"), "seal.pub: holds 2 public keys"),
    "a linked parcel": (linked, "py-1/sealed.age: is a link"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_what_is_damaged_or_hostile_is_refused_by_name(corpus: Path, name: str) -> None:
    damage, said = DAMAGE[name]
    damage(sealed(corpus))
    with pytest.raises(CorpusError) as e:
        loaded(corpus)
    assert said in str(e.value)


def test_a_file_that_differs_is_never_overwritten(corpus: Path) -> None:
    mine = sealed(corpus) / "py-1" / "proof.py"
    mine.write_text("mine")
    with pytest.raises(CorpusError, match=r"proof\.py: stands there already and differs"):
        unseal_corpus(corpus, read_seal(corpus, KEY))
    assert mine.read_text() == "mine"


def test_a_truth_beside_the_readable_half_is_not_sealed_over_the_notes(corpus: Path) -> None:
    (sealed(corpus) / "py-1" / "ground-truth.json").write_text('{"bugs": []}')
    before = files(corpus)
    with pytest.raises(CorpusError, match=r"meta\.json: is the half that stays readable"):
        sealed(corpus)
    assert files(corpus) == before


@pytest.mark.parametrize("name", ["proof.py", "ground-truth.json"])
def test_what_is_not_utf_8_is_left_alone(corpus: Path, name: str) -> None:
    (corpus / "py-1" / name).write_bytes(b"\xff")
    with pytest.raises(ReviewbenchError, match=f"{name}: not UTF-8 at byte 0"):
        sealed(corpus)
    assert (corpus / "py-1" / name).read_bytes() == b"\xff"
    assert not (corpus / "py-1" / "sealed.age").exists()


def test_a_corpus_is_sealed_for_one_key(corpus: Path) -> None:
    sealed(corpus)
    assert read_seal(corpus, STRANGE) == Seal(
        PUBLIC, lacking=f"{VARIABLE} is another key than the one that {corpus / 'seal.pub'} names"
    )


def test_what_sealing_does_not_cover_is_said(corpus: Path) -> None:
    (corpus / "py-1" / "notes.txt").write_text("the answer")
    entries = json.loads((corpus / "manifest.json").read_text())
    entries[1]["fix_sha"] = "abc"
    (corpus / "manifest.json").write_text(json.dumps(entries))
    key = given_key(KEY)
    assert key is not None
    assert seal_corpus(corpus, key).warnings == (
        f"{corpus}/py-1/notes.txt: is no file of a case and stays as it is",
        f"{corpus}/manifest.json: py-2: fix_sha points at the answer, and an index is not sealed",
    )


def test_a_corpus_of_sealed_cases_alone_is_known_as_one(corpus: Path) -> None:
    shutil.rmtree(sealed(corpus) / "py-3")
    assert is_corpus(corpus)


def test_a_reason_is_sealed_once_and_opened_by_its_key_only() -> None:
    text = "the mechanism \ud800"
    stored = seal_text(text, PUBLIC)
    assert stored.startswith("age:")
    assert "mechanism" not in stored
    assert seal_text(stored, PUBLIC) == stored
    key, strange = given_key(KEY), given_key(STRANGE)
    assert key is not None
    assert strange is not None
    assert open_text(stored, [strange, key]) == "the mechanism ?"
    assert open_text(stored, [strange]) is None
    assert open_text("age:what?", [key]) is None
    assert (seal_text(text, None), seal_text("", PUBLIC), open_text("plain", [])) == (text, "", "plain")
