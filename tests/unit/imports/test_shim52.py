"""Challenges with lines and keywords as a corpus, in their format, in our own words; no YAML can do harm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.cli.imports.shim52 import shim52
from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.corpus.shown import show
from pytest_reviewbench.errors import CorpusError, FormatError
from pytest_reviewbench.imports.plain_yaml import LIMIT, read_yaml
from pytest_reviewbench.imports.shim52 import read_macros
from tests.session.calls import reviewbench

CHALLENGE = """\
id: stock-below-zero
name: "Stock"
language: Python
issues:
  - id: no-check
    severity: high
    category: bug
    file: shop/stock.py
    line_start: 2
    line_end: 2
    title: "Stock is taken without a look"
    description: "It goes below zero."
    keywords: [below zero, "negative (stock)"]
"""
PLAIN = CHALLENGE.replace("stock-below-zero", "another").replace('keywords: [below zero, "negative (stock)"]', "")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two challenges, one of them with its trees, and a template."""
    for name, text in (("stock", CHALLENGE), ("plain", PLAIN), ("_template", CHALLENGE)):
        home = tmp_path / "bench" / "challenges" / name
        home.mkdir(parents=True)
        (home / "challenge.yaml").write_text(text)
    for side, body in (("before", "    pass\n"), ("after", "    self.left -= n\n")):
        place = tmp_path / "bench" / "challenges" / "stock" / side / "shop"
        place.mkdir(parents=True)
        (place / "stock.py").write_text("def take(self, n):\n" + body)
    return tmp_path / "bench"


def test_trees_become_a_change_and_keywords_a_matcher(folder: Path, tmp_path: Path) -> None:
    shim52(folder, tmp_path / "corpus")
    corpus = load_corpus(tmp_path / "corpus", None)
    assert [*corpus.cases] == ["ch-0001", "ch-0002"]
    case = corpus.cases["ch-0002"]
    shown = show(case, None)
    assert shown.tree is not None
    assert [*shown.tree] == ["shop/stock.py"]
    assert b"+    self.left -= n\n" in shown.patch_bytes
    (bug,) = case.truth.bugs
    assert (bug.id, bug.line, bug.severity, bug.match) == (
        "no-check",
        2,
        "high",
        r"below\ zero|negative\ \(stock\)",
    )
    assert (case.meta.lang, case.meta.label, case.split) == ("python", "stock-below-zero", "train")
    other = corpus.cases["ch-0001"]
    assert other.truth.judged_only
    assert other.meta.no_change is not None


def test_findings_for_the_challenges_are_matched_by_file_and_keyword(folder: Path, tmp_path: Path) -> None:
    shim52(folder, tmp_path / "corpus")
    said = [
        {"file": "shop/stock.py", "line": 2, "text": "A negative (stock) is possible"},
        {"file": "shop/other.py", "line": 2, "text": "It can go below zero"},
        {"file": "shop/stock.py", "text": "the name is poor"},
    ]
    (tmp_path / "f.json").write_text(json.dumps({"ch-0002": said}))
    done = reviewbench(tmp_path, "import", "findings", "f.json", "--arm=theirs")
    assert done.returncode == 0, done
    (matches,) = (tmp_path / ".reviewbench" / "runs").glob("*/matches/ch-0002.json")
    assert [*json.loads(matches.read_text())["hits"].values()] == [["no-check"]]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("line_start: 2", "line_start: two", r"\$.issues\[0\].line_start: expected the number of a line"),
        ("issues:", "isues:", r"\$.issues: expected a list"),
        ("id: no-check", "id: ''", r"\$.issues\[0\].id: expected a text"),
        ("id: stock-below-zero", "id: another", r"\$.id: 'another' is that of plain as well"),
        ("issues:", "issues: ]", "not plain YAML: .* at line 4"),
    ],
)
def test_a_challenge_that_cannot_be_read_is_one_line_with_its_place(
    folder: Path, tmp_path: Path, old: str, new: str, said: str
) -> None:
    place = folder / "challenges" / "stock" / "challenge.yaml"
    place.write_text(place.read_text().replace(old, new))
    with pytest.raises(FormatError, match=said) as e:
        shim52(folder, tmp_path / "corpus")
    assert "stock/challenge.yaml: " in str(e.value)
    assert not (tmp_path / "corpus").exists()


def test_a_link_in_a_tree_is_refused(folder: Path, tmp_path: Path) -> None:
    link = folder / "challenges" / "stock" / "after" / "link"
    link.symlink_to("/etc")
    with pytest.raises(CorpusError, match="link"):
        shim52(folder, tmp_path / "corpus")


def test_yaml_makes_no_objects(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    (tmp_path / "f.yaml").write_text(f"a: !!python/object/apply:os.mkdir ['{marker}']\nb: 2020-01-01\nc: yes\n")
    assert read_yaml(tmp_path / "f.yaml") == {"a": [str(marker)], "b": "2020-01-01", "c": "yes"}
    assert not marker.exists()


BILLION = "a: &a [x, x]\n" + "".join(
    f"{c}: &{c} [*{p}, *{p}]\n" for p, c in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (BILLION.encode(), r"has an alias \(\*name\) at line 2"),
        (b"[" * (LIMIT - 1), "nested too deeply"),
        (b"- " * (LIMIT // 2), "nested too deeply"),
        (b"x" * (LIMIT + 1), "larger than"),
        (b"a: \xff\xfe", "not plain YAML"),
        (b"a: \x00", "not plain YAML"),
        (b"? [a]\n: b", "not plain YAML"),
        (b"--- a\n--- b", "not plain YAML"),
    ],
)
def test_hostile_yaml_is_one_line(tmp_path: Path, raw: bytes, said: str) -> None:
    (tmp_path / "f.yaml").write_bytes(raw)
    with pytest.raises(FormatError, match=said):
        read_yaml(tmp_path / "f.yaml")


def results(*rows: tuple[str, str, float, float]) -> dict[str, Any]:
    return {
        "results": [
            {"tool": tool, "challenge": name, "metrics": {"precision": p, "recall": r, "f1_score": 0.5}}
            for tool, name, p, r in rows
        ],
        "overall_scores": [
            {"tool": "t", "metrics": {"avg_precision": 0.5, "avg_recall": 0.25, "avg_f1_score": 0.5}}
        ],
    }


def test_macro_averages_weigh_every_challenge_alike(folder: Path) -> None:
    rows = results(("t", "a", 1.0, 0.0), ("t", "b", 0.0, 0.0), ("t", "b", 0.0, 1.0), ("u", "a", 0.9, 0.9))
    (folder / "benchmark-results.json").write_text(json.dumps(rows))
    (made,) = read_macros(folder)
    assert (made.tool, made.challenges) == ("t", 2)
    assert made.ours == {"precision": 0.5, "recall": 0.25, "f1_score": 0.5}
    assert made.published == made.ours


DATA = Path(__file__).parents[4] / "shared" / "data" / "public" / "shim52"


@pytest.mark.skipif(not DATA.is_dir(), reason=f"the public data is not at {DATA}")
def test_the_published_challenges_and_macro_averages_come_out(tmp_path: Path) -> None:
    shim52(DATA, tmp_path / "corpus")
    corpus = load_corpus(tmp_path / "corpus", None)
    assert (len(corpus.cases), sum(len(case.truth.bugs) for case in corpus.cases.values())) == (12, 44)
    assert not any(case.truth.judged_only for case in corpus.cases.values())
    macros = read_macros(DATA)
    assert len(macros) == 5
    for macro in macros:  # their rows are rounded to four digits, so the last one of a mean may differ by one
        assert macro.challenges == 12
        assert macro.ours == pytest.approx(macro.published, abs=1.01e-4)
