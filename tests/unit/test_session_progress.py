"""Where a line can be drawn, and where it would be in the way."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from pytest_reviewbench.session_progress import terminal_of

WRITER = SimpleNamespace(write_raw=lambda *_: None)


def config(*, isatty: bool = True, reporter: bool = True, writer: object = WRITER, **options: object) -> Any:
    made = SimpleNamespace(isatty=isatty) if reporter else None
    given = {"capture": "fd", "usepdb": False, **options}
    return SimpleNamespace(
        pluginmanager=SimpleNamespace(get_plugin={"terminalreporter": made}.get),
        getoption=given.__getitem__,
        get_terminal_writer=lambda: writer,
    )


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "BUILD_NUMBER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


def test_a_line_is_drawn_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert terminal_of(config()) is cast("object", WRITER)
    monkeypatch.setenv("NO_COLOR", "1")  # it has none
    assert terminal_of(config()) is cast("object", WRITER)


@pytest.mark.parametrize(
    "made",
    [
        config(isatty=False),
        config(reporter=False),
        config(capture="no"),
        config(usepdb=True),
        config(writer=object()),
    ],
    ids=["pipe", "no terminal plugin", "tests print", "debugger", "another writer"],
)
def test_none_where_it_would_be_in_the_way(made: Any) -> None:
    assert terminal_of(made) is None


@pytest.mark.parametrize(("name", "value"), [("TERM", "dumb"), ("TERM", ""), ("CI", "true"), ("BUILD_NUMBER", "7")])
def test_none_where_the_environment_knows_no_cursor(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert terminal_of(config()) is None
