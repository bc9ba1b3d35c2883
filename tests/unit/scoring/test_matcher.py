"""The strict matcher: place by path, mechanism by regex."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_reviewbench.contain.search import Searcher
from pytest_reviewbench.model import Bug, Finding
from pytest_reviewbench.scoring.matcher import TEXT_LIMIT, collapse, match_findings

FILES = ("src/pkg/a.py", "src/b.py", "setup.py")


def plain_search(pattern: str, text: str) -> bool:
    return bool(re.search(pattern, text, re.IGNORECASE))


def named(found: str | None, known: str | None, files: tuple[str, ...] = FILES) -> bool:
    finding = Finding(id="f", file=found, text="boom")
    bug = Bug(id="b", file=known, match="boom")
    return bool(match_findings([finding], [bug], files, plain_search))


@pytest.fixture(scope="module")
def searcher() -> Iterator[Searcher]:
    made = Searcher()
    yield made
    made.close()


@pytest.mark.parametrize(
    ("found", "known"),
    [
        ("src/pkg/a.py", "src/pkg/a.py"),
        ("a.py", "src/pkg/a.py"),
        ("setup.py", "setup.py"),
        ("anything.py", None),
        (None, None),
    ],
)
def test_a_finding_is_at_the_place_of_a_bug(found: str | None, known: str | None) -> None:
    assert named(found, known)


@pytest.mark.parametrize(
    ("found", "known"),
    [
        ("pkg/a.py", "src/pkg/a.py"),  # a folder was given, so the whole path must agree
        ("other/a.py", "src/pkg/a.py"),
        ("src/pkg/a.py/", "src/pkg/a.py"),
        ("SRC/pkg/a.py", "src/pkg/a.py"),
        ("g/a.py", "src/pkg/a.py"),
        ("y", "src/pkg/a.py"),
        ("include/cmd.h", "src/cmd.c"),
        (None, "src/pkg/a.py"),
        ("", "src/pkg/a.py"),
    ],
)
def test_a_finding_elsewhere_does_not_name_the_bug(found: str | None, known: str) -> None:
    assert not named(found, known)


def test_a_bare_name_that_is_a_path_of_the_change_is_that_path_only() -> None:
    assert not named("a.py", "src/pkg/a.py", files=("a.py", "src/pkg/a.py"))
    assert named("a.py", "a.py", files=("a.py", "src/pkg/a.py"))


def test_letter_case_and_white_space_do_not_matter(searcher: Searcher) -> None:
    bug = Bug(id="b", match="off by one")
    for text in ("OFF BY ONE", "off\n   by\t one", "Off\u00a0by\u2028one", " off by one "):
        assert match_findings([Finding(id="f", text=text)], [bug], (), searcher.search) == {"f": ("b",)}


def test_the_regex_sees_the_first_characters_after_white_space_is_collapsed() -> None:
    inside = "x " * ((TEXT_LIMIT - 4) // 2) + "boom"
    assert len(inside) == TEXT_LIMIT
    bug = Bug(id="b", match="boom")

    def hit(text: str) -> bool:
        return bool(match_findings([Finding(id="f", text=text)], [bug], (), plain_search))

    assert hit(inside)
    assert hit(inside.replace("x ", "x \n"))
    assert not hit("x" + inside)


@given(st.text())
def test_collapsed_text_is_one_line_of_single_spaces(text: str) -> None:
    shown = collapse(text)
    assert shown == " ".join(shown.split())
    assert shown == collapse(shown)
    assert collapse(f" {text}\n\n") == shown


def test_one_finding_may_name_two_bugs_and_two_findings_one() -> None:
    bugs = [Bug(id="b2", match="leak"), Bug(id="b1", match="race")]
    findings = [
        Finding(id="f1", text="a leak and a race"),
        Finding(id="f2", text="a race"),
        Finding(id="f3", text=""),
    ]
    assert match_findings(findings, bugs, (), plain_search) == {"f1": ("b1", "b2"), "f2": ("b1",)}


WORDS = ("leak", "race", "overflow")


@given(
    st.lists(st.tuples(st.sampled_from([None, *FILES, "a.py"]), st.lists(st.sampled_from(WORDS), max_size=3))),
    st.lists(st.tuples(st.sampled_from([None, *FILES]), st.sampled_from(WORDS)), max_size=4),
    st.randoms(use_true_random=False),
)
def test_the_order_of_findings_and_bugs_changes_no_match(
    said: list[tuple[str | None, list[str]]], known: list[tuple[str | None, str]], random: object
) -> None:
    findings = [Finding(id=f"f{n}", file=file, text=" ".join(words)) for n, (file, words) in enumerate(said)]
    bugs = [Bug(id=f"b{n}", file=file, match=word) for n, (file, word) in enumerate(known)]
    first = match_findings(findings, bugs, FILES, plain_search)
    shuffle = random.shuffle  # type: ignore[attr-defined]
    shuffle(findings)
    shuffle(bugs)
    assert match_findings(findings, bugs, FILES, plain_search) == first
