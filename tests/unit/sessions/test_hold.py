"""Holding a session: a program of ours as the agent."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.errors import ReviewFailed
from pytest_reviewbench.sessions import hold as holding
from pytest_reviewbench.sessions.agents import AGENTS, PACKAGES
from pytest_reviewbench.sessions.hold import hold, probe, probe_program
from pytest_reviewbench.sessions.protocol import Agent, Ask, Ended, Launch, Probe, Reading, SessionFailed, Told
from tests.unit.sessions.making import asked


class Scripted:
    """`text` of a session is all that its program printed; 3 as exit code: it failed."""

    name = "scripted"
    variables = ("KEY",)
    help = ("--help",)

    def __init__(self, *trial: str) -> None:
        self._trial = trial or None

    def launch(self, probe: Probe, ask: Ask, environ: Mapping[str, str]) -> Launch:
        return Launch([probe.program], {"GIVEN": "yes", "KEY": "k"}, ask.view, self._trial)

    def read(self, ended: Ended, ask: Ask, environ: Mapping[str, str]) -> Reading:
        failure = SessionFailed("auth", ended.complaint) if ended.exit_code == 3 else None
        return Reading(Told(ended.stdout.decode()), failure)


SCRIPTED: Agent = Scripted()


@pytest.fixture
def children() -> Iterator[Children]:
    made = Children()
    yield made
    made.close()


def program(tmp_path: Path, body: str) -> Probe:
    path = tmp_path / "scripted"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return Probe(str(path), "1.0")


def test_the_prompt_comes_in_through_stdin_and_the_environment_is_short(tmp_path: Path, children: Children) -> None:
    probed = program(tmp_path, 'cat; echo "|$GIVEN|$HOME|$SECRET|$(pwd)"')
    ask = asked(tmp_path, prompt="é\nprompt")
    session = hold(SCRIPTED, probed, ask, children, {"SECRET": "x", "PATH": "/usr/bin:/bin"})
    assert session.told.text == f"é\nprompt|yes|{ask.home}||{tmp_path}\n"
    assert session.transcript.decode() == session.told.text


def test_a_failed_session_keeps_all_that_is_known_of_it(tmp_path: Path, children: Children) -> None:
    with pytest.raises(SessionFailed, match="refused") as error:
        hold(SCRIPTED, program(tmp_path, "echo begun; echo refused >&2; exit 3"), asked(tmp_path), children, {})
    assert error.value.partial is not None
    assert (error.value.kind, error.value.partial.transcript) == ("auth", b"begun\n")


def test_a_hang_ends_in_time_with_what_was_streamed(tmp_path: Path, children: Children) -> None:
    with pytest.raises(SessionFailed, match="scripted took over 1 s") as error:
        hold(SCRIPTED, program(tmp_path, "echo begun; sleep 60"), asked(tmp_path, timeout=1), children, {})
    assert error.value.partial is not None
    assert (error.value.kind, error.value.partial.told.text) == ("timeout", "begun\n")


def test_what_an_agent_needs_is_tried_first_without_its_key(tmp_path: Path, children: Children) -> None:
    probed = program(tmp_path, "touch spent")
    trial = ("sh", "-c", 'echo "no shell, $GIVEN${KEY-, no key}" >&2; exit 1')
    with pytest.raises(ReviewFailed, match=r"scripted cannot work here \(.*: no shell, yes, no key") as error:
        hold(Scripted(*trial), probed, asked(tmp_path), children, {"PATH": "/usr/bin:/bin"})
    assert error.value.kind == "trial"
    assert not (tmp_path / "spent").exists()
    hold(Scripted("true"), probed, asked(tmp_path), children, {})
    assert (tmp_path / "spent").exists()


def test_a_flood_is_an_error(tmp_path: Path, children: Children, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "OUTPUT_LIMIT", 10)
    with pytest.raises(SessionFailed, match="printed over 10 bytes") as error:
        hold(SCRIPTED, program(tmp_path, "echo 0123456789abc"), asked(tmp_path), children, {})
    assert (error.value.kind, error.value.again) == ("output", False)


def test_a_program_is_asked_for_its_version_and_its_flags(tmp_path: Path, children: Children) -> None:
    probed = program(
        tmp_path, 'test "$1" = --version && echo "scripted 2.1.3 (x)" || echo " -m, --model X --no-x=Y"'
    )
    found = probe_program(SCRIPTED, probed.program, children, asked(tmp_path).home, {})
    assert found == Probe(probed.program, "2.1.3", frozenset({"--model", "--no-x"}))


def test_a_program_that_does_not_start_says_why(tmp_path: Path, children: Children) -> None:
    probed = program(tmp_path, "echo broken >&2; exit 1")
    with pytest.raises(ReviewFailed, match="--version: exit code 1: broken"):
        probe_program(SCRIPTED, probed.program, children, asked(tmp_path).home, {})
    assert probe(SCRIPTED, children, asked(tmp_path).home, {}) is None


def test_every_agent_stands_in_the_table_under_its_name() -> None:
    names = ["claude", "codex", "gemini", "opencode", "llm"]
    assert [*AGENTS] == [agent.name for agent in AGENTS.values()] == names
    assert {*PACKAGES, "llm"} == AGENTS.keys()
