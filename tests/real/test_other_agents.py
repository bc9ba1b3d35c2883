"""The real opencode and gemini, as test_agents.py has claude and codex. With REVIEWBENCH_REAL=all only: minutes."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import pytest

from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.model import Usage
from tests.real.agent_programs import CODEX, GEMINI, OPENCODE, Unavailable, installed
from tests.real.model_server import CACHED, INPUT, OUTPUT, Call, Drop, Hang, Refuse, Say, Step
from tests.real.test_agents import (  # noqa: F401 (fixtures)
    BODY,
    MODELS,
    Stand,
    children,
    contained,
    folder,
    lend,
    probed,
    skill,
    stand,
    uncontained,
)

pytestmark = pytest.mark.skipif(
    os.environ.get("REVIEWBENCH_REAL") != "all",
    reason="opencode and gemini are installed with REVIEWBENCH_REAL=all",
)
both = pytest.mark.parametrize("stand", [OPENCODE, GEMINI], indirect=True, ids=lambda package: package.program)
gemini = pytest.mark.parametrize("stand", [GEMINI], indirect=True, ids=["gemini"])
opencode = pytest.mark.parametrize("stand", [OPENCODE], indirect=True, ids=["opencode"])
START = 60.0
"""Seconds that they may take until they ask their model."""


@pytest.fixture(autouse=True)
def _searching(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """opencode needs a program that codex brings along."""
    if find_program("rg") is None:
        try:
            program = installed(CODEX).parent.parent
        except Unavailable as e:
            pytest.skip(f"there is no ripgrep for opencode here, and no codex to take it from: {e}")
        found = next(program.glob("**/codex-path/rg"))
        place = tmp_path_factory.mktemp("bin")
        (place / "rg").symlink_to(found.resolve())
        monkeypatch.setenv("PATH", f"{place}{os.pathsep}{os.environ['PATH']}")


@both
def test_it_reads_the_change_and_can_do_nothing_else(stand: Stand) -> None:  # noqa: F811
    tools = {
        "gemini": (
            Call("run_shell_command", {"command": "touch made"}),
            Call("write_file", {"file_path": "made", "content": "x"}),
        ),
        "opencode": (
            Call("bash", {"command": "touch made", "description": "x"}),
            Call("write", {"filePath": "made", "content": "x"}),
        ),
    }[stand.agent.name]
    held = stand.hold(stand.look("change.patch"), *tools, Say('[{"file": "x.py", "line": 1}]'), timeout=2 * START)
    assert held.failure is None
    told = held.session.told
    assert told.text == '[{"file": "x.py", "line": 1}]'
    assert "the change itself" in held.results[0]
    assert not (stand.workspace / "made").exists()
    assert (told.cost_usd, told.cost_source, told.skills_loaded) == (None, "none", ())
    counted = {"input_tokens": 4 * (INPUT - CACHED), "output_tokens": 4 * OUTPUT, "cache_read_tokens": 4 * CACHED}
    if stand.agent.name == "gemini":
        assert told.usage == Usage(**counted)
        assert set(held.server.asked[0].tools) == {"list_directory", "read_file", "grep_search", "glob"}
        assert (told.model, told.calls[0].name) == ("scripted-version", "read_file")
    else:
        assert told.usage == Usage(**counted, cache_write_tokens=0, turns=4)
        assert set(held.server.asked[0].tools) == {"glob", "grep", "read"}
        assert (told.model, told.calls[0].name) == (None, "read")
    assert len(held.server.requests) == 4  # nothing else was asked of anybody
    assert "<skill>" not in str(held.server.asked[0].body)
    assert not (stand.workspace / "home" / ".npm").exists()  # nor of a package registry


@both
@pytest.mark.parametrize(
    ("step", "kind", "again"),
    [
        (Refuse(401), "auth", False),
        (Refuse(429, 1), "rate_limit", True),
        (Refuse(529, 1), "overloaded", True),
        (Refuse(400), "api", False),
    ],
    ids=["401", "429", "529", "400"],
)
def test_a_service_that_refuses_is_an_error_of_its_kind(
    stand: Stand,  # noqa: F811
    step: Step,
    kind: str,
    again: bool,
) -> None:
    held = stand.hold(step, timeout=2 * START)
    assert held.failure is not None
    assert (held.failure.kind, held.failure.again) == (kind, again), held.failure
    assert 1 <= len(held.server.asked) <= 6
    told = held.session.told
    assert (told.text, told.usage, told.cost_usd) == ("", None, None)


@both
def test_a_connection_that_breaks_is_an_error_that_can_go_better(stand: Stand) -> None:  # noqa: F811
    held = stand.hold(Drop(), timeout=3 * START)
    assert held.failure is not None
    assert (held.failure.kind, held.failure.again) == ("api", True), held.failure


@both
def test_a_hang_ends_in_time_and_what_was_streamed_is_kept(stand: Stand) -> None:  # noqa: F811
    held = stand.hold(stand.look("change.patch"), Hang("I have found so far"), timeout=START)
    assert held.failure is not None
    assert held.failure.kind == "timeout"
    told = held.session.told
    assert (len(told.calls), told.usage, told.cost_usd) == (1, None, None)
    assert told.text == ("I have found so far" if stand.agent.name == "gemini" else "Looking.")


@gemini
def test_more_turns_than_it_may_have_are_an_error_with_its_usage(stand: Stand) -> None:  # noqa: F811
    held = stand.hold(stand.look("change.patch"), max_turns=2, timeout=START)
    assert held.failure is not None
    assert held.failure.kind == "max_turns", held.failure
    assert held.session.told.usage is not None


def ways_out(stand: Stand) -> list[Call]:  # noqa: F811
    """Calls that would bring the truth in: by its absolute path, by searches, by names; then through links."""
    (stand.workspace / "link").symlink_to(stand.truth)
    (stand.workspace / "above").symlink_to(stand.folder)
    corpus = str(stand.truth.parent)
    if stand.agent.name == "gemini":
        search = [Call("grep_search", {"pattern": "truth", "dir_path": path}) for path in (corpus, "above")]
        names = [Call("glob", {"pattern": f"{corpus}/*"}), Call("glob", {"pattern": "../corpus/*"})]
        listed = [Call("list_directory", {"dir_path": corpus})]
    else:
        search = [Call("grep", {"pattern": "truth", "path": path}) for path in (corpus, "above")]
        names = [Call("glob", {"pattern": f"{corpus}/*"}), Call("glob", {"pattern": "../corpus/*"})]
        listed = [Call("glob", {"pattern": "*", "path": corpus})]
    looks = [stand.look("link"), stand.look("above/corpus/ground-truth.json")]
    return [stand.look(str(stand.truth)), search[0], *names, *listed, search[1], *looks]


@both
def test_in_the_sandbox_no_way_leads_to_the_truth(stand: Stand) -> None:  # noqa: F811
    contained(stand)
    ways = ways_out(stand)
    held = stand.hold(*ways, Say("[]"), timeout=2 * START)
    assert held.failure is None
    assert len(held.results) == len(ways)
    assert stand.truth.read_text() not in str([request.body for request in held.server.requests])
    assert stand.truth.read_text() not in held.session.transcript.decode()


@both
def test_without_a_sandbox_links_alone_lead_opencode_outside(uncontained: Stand) -> None:  # noqa: F811
    """No promise for opencode: what docs/agents.md warns of."""
    ways = ways_out(uncontained)
    held = uncontained.hold(*ways, Say("[]"), timeout=2 * START)
    assert held.failure is None
    reached = [uncontained.truth.read_text() in result for result in held.results]
    links = uncontained.agent.name == "opencode"
    assert reached == [False] * (len(ways) - 3) + [links] * 3
    assert not [result for result in held.results[2:5] if uncontained.truth.name in result]  # nor are names told


@both
def test_a_skill_is_offered_loaded_and_its_references_can_be_read(stand: Stand, skill: Path) -> None:  # noqa: F811
    home = stand.workspace / "home"
    if stand.agent.name == "gemini":
        load, skills = Call("activate_skill", {"name": "deep-look"}), home / ".gemini" / "skills"
    else:
        load, skills = Call("skill", {"name": "deep-look"}), home / ".config" / "opencode" / "skills"
    reference = stand.look(f"{skills}/deep-look/references/diff.md")
    held = stand.hold(load, reference, Say("[]"), skill=skill, timeout=2 * START)
    assert held.failure is None
    assert held.session.told.skills_loaded == ("deep-look",)
    offered, _, told = held.server.asked
    assert "Reviews deeply." in str(offered.body)
    assert BODY not in str(offered.body)
    assert BODY in str(told.body)
    assert "How a diff is read." in held.results[1]
    for own in ("skill-creator", "antigravity-support", "customize-opencode"):
        assert own not in str(offered.body)


@both
def test_a_skill_that_is_only_spoken_of_was_not_loaded(stand: Stand, skill: Path) -> None:  # noqa: F811
    held = stand.hold(Say(f"I used the skill deep-look. {BODY} []"), skill=skill, timeout=2 * START)
    assert held.failure is None
    assert held.session.told.skills_loaded == ()


@opencode
def test_a_login_pays_where_there_is_no_key(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setitem(MODELS, "opencode", "anthropic/claude-sonnet-4-5")
    token = f"planted-{secrets.token_hex(16)}"
    stand.keys = {name: value for name, value in stand.keys.items() if name != "ANTHROPIC_API_KEY"}
    place = ".local/share/opencode/auth.json"
    login = lend(stand, place, {"anthropic": {"type": "api", "key": token}}, monkeypatch)
    held = stand.hold(Say("[]"), login=login, timeout=2 * START)
    assert (held.failure, held.session.told.text) == (None, "[]")
    assert {request.headers.get("x-api-key") for request in held.server.asked} == {token}
    assert token not in held.session.transcript.decode()


@opencode
def test_opencode_asks_anthropic_by_its_own_protocol(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setitem(MODELS, "opencode", "anthropic/claude-sonnet-4-5")
    stand.keys = {**stand.keys, "OPENAI_API_KEY": stand.keys["ANTHROPIC_API_KEY"]}
    held = stand.hold(Say("[]"), timeout=2 * START)
    assert (held.failure, held.session.told.text) == (None, "[]")
    assert [request.path for request in held.server.requests] == ["/v1/messages"]
    assert held.session.told.cost_usd is None
