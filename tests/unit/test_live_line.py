"""The line below pytest's output, on a terminal that is played here."""

from __future__ import annotations

import time

import pytest

from pytest_reviewbench.live_line import LiveLine
from tests.screen import Screen


class Writer:
    """As pytest's: every word goes through `write_raw`."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.fail = False

    def write_raw(self, msg: str, *, flush: bool = False) -> None:
        if self.fail:
            raise OSError("the terminal is gone")
        self.screen.feed(msg)


PRINTED = ("corpus ", ".", ".", "F", " 50%\n", "a rather long line of text\n", "[gw0] down\n", "x")


@pytest.mark.parametrize("rows", [24, 3], ids=["room below", "bottom of the screen"])
def test_what_is_printed_is_what_it_would_be_without_the_line(rows: int) -> None:
    bare, drawn = Screen(rows), Screen(rows)
    writer = Writer(drawn)
    with LiveLine(writer, lambda width: f"{drawn.fed} of this"[:width], tick=1000) as line:
        for said in PRINTED:
            line.draw()
            assert "of this" in drawn.text(), "it is seen"
            writer.write_raw(said)
            bare.feed(said)
            assert drawn.text() == bare.text()
            assert drawn.place() == bare.place()
        line.draw()
    assert drawn.text() == bare.text(), "nothing of it stays"
    sent = drawn.fed
    writer.write_raw("y")
    assert drawn.fed == sent + 1


def test_a_shorter_line_takes_the_place_of_a_longer_one() -> None:
    screen, texts = Screen(5), iter(["a long line", "short", "short", ""])
    with LiveLine(Writer(screen), lambda _: next(texts), tick=1000) as line:
        line.draw()
        line.draw()
        assert screen.text() == "\nshort"
        line.draw()
        assert screen.fed == 2, "the same line is not drawn again"


def test_it_draws_by_itself() -> None:
    screen = Screen(5)
    with LiveLine(Writer(screen), lambda _: "alive", tick=0.01):
        end = time.monotonic() + 20
        while "alive" not in screen.text() and time.monotonic() < end:
            time.sleep(0.01)
        assert screen.text() == "\nalive"


def test_trouble_with_the_line_ends_the_line_and_nothing_else() -> None:
    screen = Screen(5)
    writer = Writer(screen)

    def text(width: int) -> str:
        raise ValueError

    with LiveLine(writer, text, tick=0.01) as line:
        line._thread.join(20)
        assert not line._thread.is_alive()
        writer.write_raw("goes on")
    assert screen.text() == "goes on"
