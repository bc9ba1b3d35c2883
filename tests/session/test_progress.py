"""What a session says while it runs: on a terminal, in a pipe, quietly, with workers."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.samples import HIT, obedient, write_acting_case, write_project
from tests.session import scripted_claude
from tests.session.on_a_terminal import session

ARM = "--reviewbench-arm=o"
LINE = re.compile(r"^reviewbench: \d+/\d+ ", re.M)


@pytest.fixture
def project(pytester: pytest.Pytester) -> Path:
    """Four cases that end one after another; in the first the bug is found."""
    write_project(pytester.path, {"o": obedient(pytester.path)})
    for n in range(4):
        said = [{**HIT, "text": "off by one"}] if n == 0 else []
        write_acting_case(pytester.path / "corpus", f"c{n}", f"sleep {0.3 + 0.5 * n}; say {json.dumps(said)}")
    return pytester.path


@pytest.mark.parametrize("mode", [("--reviewbench-jobs=4",), ("-n", "2")], ids=["in flight", "xdist"])
def test_a_terminal_shows_one_line_that_is_gone_in_the_end(project: Path, mode: tuple[str, ...]) -> None:
    seen = session(project, ARM, *mode)
    assert seen.status == 0
    assert any("reviewbench: 0/4 reviews" in text for text in seen.ever), "before anything has ended"
    assert any("/4 reviews, 1 of 1 bugs hit, cost not known, about " in text for text in seen.ever)
    assert all(len(LINE.findall(text)) <= 1 for text in seen.ever), "it replaces itself"
    assert not LINE.search(seen.screen.text())
    assert "corpus/manifest.json ....    " in seen.screen.text() or "-n" in mode
    assert "[100%]" in seen.screen.text()
    assert "past the end" not in seen.raw


def test_ctrl_c_leaves_a_clean_line(project: Path) -> None:
    seen = session(project, ARM, "--reviewbench-jobs=4", interrupt_at="1/4 reviews")
    assert seen.status == 2
    assert any(LINE.search(text) for text in seen.ever)
    assert not LINE.search(seen.screen.text())
    assert "KeyboardInterrupt" in seen.screen.text()


def test_a_pipe_gets_a_line_now_and_then(
    project: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_reviewbench.report.progress.NowAndThen.due", lambda *_: True)
    monkeypatch.setenv("NO_COLOR", "1")
    result = pytester.runpytest_inprocess(ARM, "--reviewbench-jobs=1")
    result.assert_outcomes(passed=4)
    lines = [line for line in result.outlines if LINE.match(line)]
    assert [line.split(",")[0] for line in lines] == [f"reviewbench: {n}/4 reviews" for n in (1, 2, 3)]
    assert all("1 of" in line and "cost not known" in line and "left" in line for line in lines)
    assert "\x1b" not in result.stdout.str()
    quiet = pytester.runpytest_inprocess(ARM, "-q")
    quiet.assert_outcomes(passed=4)
    assert not LINE.search(quiet.stdout.str())


def test_trouble_with_the_progress_is_not_the_sessions(
    project: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("pytest_reviewbench.report.progress.Progress.finished", fails)
    result = pytester.runpytest_inprocess(ARM, "--reviewbench-jobs=4")
    result.assert_outcomes(passed=4)
    assert result.ret == 0
    assert not LINE.search(result.stdout.str())


def test_cases_that_are_judged_are_counted_too(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    scripted_claude.install(pytester.path / "bin")
    monkeypatch.setenv("PATH", f"{pytester.path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    write_project(pytester.path, {"o": obedient(pytester.path)})
    write_acting_case(
        pytester.path / "corpus", "c0", f"judge sleep 1; judge say {{verdicts}}; say {json.dumps([HIT])}"
    )
    seen = session(pytester.path, ARM, "--reviewbench-verifier=judge")
    assert seen.status == 0
    assert any("reviewbench: 0/1 cases judged" in text for text in seen.ever)
    assert not LINE.search(seen.screen.text())
    assert "Verified by judge-claude" in seen.screen.text()
