"""How far a session is, as a value: time is given, and nothing is printed."""

from __future__ import annotations

import pytest

from pytest_reviewbench.report.progress import NowAndThen, Progress, duration


def test_it_counts_bugs_and_costs_of_what_is_done() -> None:
    progress = Progress(total=40, at_once=4, began=100.0)
    assert progress.line(100, 100.0) == "reviewbench: 0/40 reviews"
    progress = progress.finished(110.0, 10.0, bugs=2, hit=1, started=True, cost_usd=0.5)
    progress = progress.finished(110.0, 10.0, bugs=1, hit=1, started=True, cost_usd=0.25)
    assert progress.line(100, 110.0) == "reviewbench: 2/40 reviews, 2 of 3 bugs hit, $0.75, about 2 min left"


def test_an_unknown_cost_is_never_zero() -> None:
    nothing = Progress(total=9, at_once=1, began=0.0)
    unknown = nothing.finished(1.0, None, started=True)
    assert unknown.line(100, 1.0) == "reviewbench: 1/9 reviews, cost not known"
    some = unknown.finished(1.0, None, started=True, cost_usd=1.5)
    assert some.line(100, 1.0) == "reviewbench: 2/9 reviews, $1.50 (1 of 2 known)"
    assert "$" not in nothing.finished(1.0, None).line(100, 1.0), (
        "what never began cost nothing that could be known"
    )


def test_it_says_no_time_before_one_has_been_timed() -> None:
    progress = Progress(total=9, at_once=2, began=0.0)
    assert progress.left(50.0) is None
    assert progress.finished(50.0, None).left(50.0) is None, "a record that was there says nothing of the others"


def test_records_that_were_there_do_not_spoil_what_is_left() -> None:
    fresh = Progress(total=60, at_once=2, began=0.0)
    for _ in range(50):
        fresh = fresh.finished(1.0, None)
    old = Progress(total=60, at_once=2, began=0.0)
    for _ in range(50):
        old = old.finished(1.0, 300.0)  # longer than the session runs: done by another
    for progress in (fresh, old):
        timed = progress.finished(10.0, 9.0).finished(10.0, 9.0)
        assert timed.left(10.0) == pytest.approx(8 * 9 / 2)


def test_what_is_left_is_right_for_equal_reviews_in_every_wave() -> None:
    progress = Progress(total=12, at_once=3, began=0.0)
    for wave in range(1, 4):
        for _ in range(3):
            progress = progress.finished(10.0 * wave, 10.0)
        assert progress.left(10.0 * wave) == pytest.approx(10.0 * (4 - wave))
        assert progress.left(10.0 * wave + 4) == pytest.approx(10.0 * (4 - wave) - 4), "it counts down"
    assert progress.left(1000.0) == 0.0
    assert "left" not in progress.line(100, 1000.0), "a guess that has run out is not repeated"
    for _ in range(3):
        progress = progress.finished(40.0, 10.0)
    assert progress.left(40.0) is None


def test_a_count_alone_is_timed_by_the_clock() -> None:
    progress = Progress(total=8, at_once=2, began=5.0, what="cases judged")
    progress = progress.counted(15.0, 2)
    assert progress.line(100, 15.0) == "reviewbench: 2/8 cases judged, about 30 s left"
    assert progress.counted(25.0, 4).left(25.0) == pytest.approx(20.0)
    assert progress.counted(15.0, 1) == progress


def test_a_line_leaves_out_what_has_no_room_and_never_passes_its_width() -> None:
    progress = Progress(total=40, at_once=4, began=0.0).finished(
        10.0, 10.0, bugs=3, hit=1, started=True, cost_usd=2.0
    )
    for width in range(120):
        line = progress.line(width, 10.0)
        assert len(line) <= width
        assert "1/40" in line or width < len("1/40")
    assert progress.line(60, 10.0) == "reviewbench: 1/40 reviews, 1 of 3 bugs hit, about 2 min left"
    assert progress.line(50, 10.0) == "reviewbench: 1/40 reviews, about 2 min left"
    assert progress.line(30, 10.0) == "reviewbench: 1/40 reviews"
    assert progress.line(12, 10.0) == "1/40 reviews"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "1 s"), (8, "8 s"), (59.5, "1 min"), (61, "2 min"), (3600, "1 h 00 min"), (3900, "1 h 05 min")],
)
def test_durations_are_short_and_rounded_up(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_a_line_is_due_now_and_then_and_the_first_one_waits_too() -> None:
    lines = NowAndThen(100.0, 5.0)
    assert [now for now in (100.0, 104.9, 105.0, 106.0, 109.9, 110.0) if lines.due(now)] == [105.0, 110.0]
