"""Regexes of strangers: answered, or given up after a second, and never in this process."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytest_reviewbench.contain.search import Searcher
from pytest_reviewbench.contain.search_child import answer
from pytest_reviewbench.errors import CorpusError

EXPLODES = "(x+x+)+y"
TEXT = "x" * 200


@pytest.fixture
def searcher() -> Iterator[Searcher]:
    made = Searcher()
    yield made
    made.close()


def child_of(searcher: Searcher) -> int:
    assert searcher._child is not None
    return searcher._child.pid


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("off[- ]by[- ]one", "An OFF-BY-ONE error", True),
        ("off[- ]by[- ]one", "fine", False),
        ("", "", True),
        ("^$", "", True),
        ("größe", "GRÖSSE größe", True),
        ("a\nb", "a\nb", True),
        ("\ud800", "a\ud800b", True),
        ("\0", "a\0", True),
        ("x{20000}", "x" * 20_000, True),
    ],
)
def test_a_search_is_re_search_with_case_aside(searcher: Searcher, pattern: str, text: str, found: bool) -> None:
    assert searcher.search(pattern, text) is found


@pytest.mark.parametrize("pattern", ["(", "*", "[z-a]", "(?P<a>x)(?P<a>y)", r"\g", "(?<=a+)b", "a{2,1}", "(?q)"])
def test_a_pattern_that_does_not_compile_is_a_corpus_error(searcher: Searcher, pattern: str) -> None:
    with pytest.raises(CorpusError, match="the regex does not compile: "):
        searcher.search(pattern, "x")
    assert searcher.search("x", "x")


@pytest.mark.parametrize(
    "pattern", ["(?P<zanzibar>x)(?P<zanzibar>y)", "(?P=zanzibar)", "(?P<zanzi'bar>x)", r"\N{zanzibar}"]
)
def test_the_error_holds_no_word_of_the_pattern(searcher: Searcher, pattern: str) -> None:
    with pytest.raises(CorpusError, match="does not compile") as caught:
        searcher.search(pattern, "x")
    assert "zanzi" not in str(caught.value)
    assert "bar" not in str(caught.value)


def test_a_pattern_too_deep_to_compile_is_a_corpus_error(searcher: Searcher) -> None:
    with pytest.raises(CorpusError):
        searcher.search("(" * 10_000 + ")" * 10_000, "x")
    assert searcher.search("x", "x")


@pytest.mark.parametrize("pattern", [EXPLODES, "(a?){60}" + "(x|xx)*z", "(.*)*" * 12 + "z"])
def test_a_regex_that_explodes_is_given_up_and_the_next_one_answered(searcher: Searcher, pattern: str) -> None:
    searcher.search("x", "x")
    child = child_of(searcher)
    with pytest.raises(CorpusError, match="takes over 1 s on one text"):
        searcher.search(pattern, TEXT)
    assert searcher.search("x", "x")
    assert child_of(searcher) == child


def test_a_child_that_is_stuck_all_the_same_is_ended_and_replaced(
    searcher: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_reviewbench.contain.search.STUCK", 0.5)
    searcher.search("x", "x")
    stuck = child_of(searcher)
    os.kill(stuck, 19)  # SIGSTOP
    with pytest.raises(CorpusError, match="takes over"):
        searcher.search("x", "x")
    assert searcher.search("x", "x")
    assert child_of(searcher) != stuck


def test_a_child_that_somebody_ended_is_replaced_without_a_word(searcher: Searcher) -> None:
    searcher.search("x", "x")
    os.kill(child_of(searcher), 9)
    os.waitid(os.P_PID, child_of(searcher), os.WEXITED | os.WNOWAIT)
    assert searcher.search("x", "x")


def test_threads_get_the_answers_to_their_own_questions(searcher: Searcher) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: searcher.search(f"^{n % 7}$", f"{n % 5}"), range(200)))
    assert answers == [n % 7 == n % 5 for n in range(200)]


def test_this_process_goes_on_while_a_regex_explodes(searcher: Searcher) -> None:
    def search() -> None:
        with pytest.raises(CorpusError):
            searcher.search(EXPLODES, TEXT)

    steps = 0
    thread = threading.Thread(target=search)
    thread.start()
    while thread.is_alive():
        thread.join(0.01)
        steps += 1
    assert steps > 10


def test_the_child_is_isolated_and_sees_no_environment(searcher: Searcher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONSTARTUP", "/nowhere")
    searcher.search("x", "x")
    proc = Path(f"/proc/{child_of(searcher)}")
    if proc.exists():
        assert proc.joinpath("environ").read_bytes() == b""
        assert {b"-I", b"-S"} <= set(proc.joinpath("cmdline").read_bytes().split(b"\0"))
    assert os.getpgid(child_of(searcher)) != os.getpgid(0)


def test_a_closed_searcher_leaves_nothing_and_can_be_used_again() -> None:
    before = len(list(Path("/dev/fd").iterdir()))
    searcher = Searcher()
    for _ in range(20):
        assert searcher.search("x", "x")
        searcher.close()
    searcher.close()
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_the_answer_of_the_child_is_a_bool_or_a_reason() -> None:
    assert answer("a", "A", 1.0) is True
    assert answer("a", "b", 1.0) is False
    assert str(answer("(", "b", 1.0)).startswith("bad ")
