"""The real claude and codex against a scripted model on the loopback: what they answer, cost, reach and give away.

Dummy keys, private homes, no other network. What is asserted here is what docs/agents.md says.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import secrets
import socket
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.contain import preflight
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.sandbox import Sandbox, View
from pytest_reviewbench.errors import ReviewFailed
from pytest_reviewbench.model import Usage
from pytest_reviewbench.sessions.agents import AGENTS
from pytest_reviewbench.sessions.hold import hold, probe_program
from pytest_reviewbench.sessions.logins import Login, inherited
from pytest_reviewbench.sessions.protocol import Agent, Ask, Launch, Probe, Session, SessionFailed, Told
from tests.real.agent_programs import CLAUDE, CODEX, Package, Unavailable, installed
from tests.real.model_server import (
    CACHED,
    INPUT,
    OUTPUT,
    RETRY_AFTER,
    WRITTEN,
    Call,
    Drop,
    Hang,
    ModelServer,
    Refuse,
    Say,
    Step,
)

PATCH = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-x = 1\n+x = 2  # the change itself\n"
MODELS = {
    "claude": "claude-sonnet-4-5", "codex": "gpt-5.1-codex", "gemini": "gemini-2.5-pro",
    "opencode": "compatible/scripted",
}  # fmt: skip
KEYS = {
    "claude": "ANTHROPIC_API_KEY", "codex": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY",
    "opencode": "OPENAI_API_KEY",
}  # fmt: skip
KEY_HEADERS = ("x-api-key", "authorization", "x-goog-api-key")
BODY = "Follow each value that the change touches to every place that reads it."

both = pytest.mark.parametrize("stand", [CLAUDE, CODEX], indirect=True, ids=lambda package: package.program)
claude = pytest.mark.parametrize("stand", [CLAUDE], indirect=True, ids=["claude"])
codex = pytest.mark.parametrize("stand", [CODEX], indirect=True, ids=["codex"])


@dataclass
class Held:
    """A session that was held: what came of it, and what the model's service saw of it."""

    session: Session
    failure: SessionFailed | None
    server: ModelServer

    @property
    def results(self) -> list[str]:
        return self.server.asked[-1].results


@dataclass
class Stand:
    """One agent on this machine, a workspace, a truth beside it, and keys that nobody must see."""

    agent: Agent
    children: Children
    folder: Path
    probed: Probe
    keys: Mapping[str, str] = field(default_factory=dict)
    lends: bool = False

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    @property
    def truth(self) -> Path:
        return self.folder / "corpus" / "ground-truth.json"

    def look(self, path: str) -> Call:
        """The call of a tool that reads `path`."""
        calls = {
            "claude": Call("Read", {"file_path": path}),
            "gemini": Call("read_file", {"file_path": path}),
            "opencode": Call("read", {"filePath": path}),
        }
        return calls.get(self.agent.name) or self.run(f"cat '{path}'")

    def run(self, command: str) -> Call:
        return Call("exec_command", {"cmd": command})

    @property
    def home(self) -> Path:
        """Beside the workspace, as it is in a review, where a session is lent a login."""
        return (self.folder if self.lends else self.workspace) / "home"

    def hold(self, *steps: Step, timeout: float = 60, login: Login | None = None, **more: Any) -> Held:
        home = self.home
        home.mkdir()
        view = View(readable=(self.workspace,), writable=(home,))
        ask = Ask("Review it.", self.workspace, home, view, timeout, MODELS[self.agent.name], **more)
        with ModelServer(steps) as server:
            environ = {
                **os.environ, **self.keys, "ANTHROPIC_BASE_URL": server.url, "OPENAI_BASE_URL": f"{server.url}/v1",
                "GOOGLE_GEMINI_BASE_URL": server.url,
            }  # fmt: skip
            watched = Watched(self.agent)
            try:
                with login.lent(home) if login else contextlib.nullcontext():
                    held = Held(hold(watched, self.probed, ask, self.children, environ), None, server)
            except SessionFailed as e:
                held = Held(e.partial or Session(Told()), e, server)
        self.nothing_given_away(watched.launches[0], held)
        return held

    def nothing_given_away(self, launch: Launch, held: Held) -> None:
        """No planted value in argv, in what was printed, said to the model, or left in its home."""
        places = [" ".join(launch.argv), held.session.transcript.decode(), str(held.failure)]
        places += [str(request.body) for request in held.server.requests]
        for path in self.home.rglob("*"):
            if path.is_file() and not path.is_symlink():
                places.append(path.read_bytes().decode("utf-8", "replace"))
        for value in self.keys.values():
            assert not [place for place in places if value in place]
        own = self.keys.get(KEYS[self.agent.name], "")
        for request in held.server.asked:
            assert own in "".join(request.headers.get(name, "") for name in KEY_HEADERS)


class Watched:
    """An agent that remembers how it was started."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.launches: list[Launch] = []
        self.name, self.variables, self.help, self.read = agent.name, agent.variables, agent.help, agent.read

    def launch(self, probe: Probe, ask: Ask, environ: Mapping[str, str]) -> Launch:
        self.launches.append(self._agent.launch(probe, ask, environ))
        return self.launches[-1]


@pytest.fixture(scope="module")
def children() -> Iterator[Children]:
    made = Children()
    made.sandbox = preflight.probe(made)
    yield made
    made.close()


@pytest.fixture(scope="module")
def probed(children: Children, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Package], Probe]:
    found: dict[Package, Probe | str] = {}

    def ask(package: Package) -> Probe:
        if package not in found:
            try:
                home = tmp_path_factory.mktemp("home")
                found[package] = probe_program(
                    AGENTS[package.program], str(installed(package)), children, home, os.environ
                )
            except Unavailable as e:
                found[package] = str(e)
        answer = found[package]
        if isinstance(answer, str):
            pytest.skip(f"{package.program} {package.version} cannot be had here: {answer}")
        return answer

    return ask


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """One that codex can use: its shell has a /dev of its own."""
    if not tmp_path.resolve().is_relative_to("/dev"):
        yield tmp_path.resolve()
        return
    with tempfile.TemporaryDirectory(dir="/var/tmp") as made:
        yield Path(made).resolve()


@pytest.fixture
def stand(
    request: pytest.FixtureRequest, folder: Path, children: Children, probed: Callable[[Package], Probe]
) -> Stand:
    package = request.param
    made = Stand(AGENTS[package.program], children, folder, probed(package))
    made.keys = {
        name: f"planted-{name.lower()}-{secrets.token_hex(8)}"
        for name in (*sorted({*KEYS.values()}), "GITHUB_TOKEN", "PYTEST_CURRENT_TEST")
    }
    made.workspace.mkdir()
    (made.workspace / "change.patch").write_text(PATCH)
    made.truth.parent.mkdir()
    made.truth.write_text(f"the-{secrets.token_hex(8)}-truth")
    return made


@pytest.fixture
def uncontained(stand: Stand) -> Iterator[Stand]:
    made = Children(Sandbox.none("a test"))
    yield dataclasses.replace(stand, children=made)
    made.close()


def contained(stand: Stand) -> None:
    if stand.children.sandbox.program is None:
        pytest.skip(f"no sandbox on this machine: {stand.children.sandbox.reason}")


@both
def test_it_reads_the_change_and_answers(stand: Stand) -> None:
    held = stand.hold(stand.look("change.patch"), Say('[{"file": "x.py", "line": 1}]'))
    assert held.failure is None
    told = held.session.told
    assert told.text == '[{"file": "x.py", "line": 1}]'
    assert "the change itself" in held.results[0]
    assert (told.cost_usd, told.cost_source) == (None, "none")  # this server's prices are unknown
    assert told.skills_loaded == ()
    assert stand.probed.version in (CLAUDE.version, CODEX.version)
    offered = held.server.asked[0].tools
    if stand.agent.name == "claude":
        assert told.usage == Usage(
            input_tokens=2 * INPUT,
            output_tokens=2 * OUTPUT,
            cache_read_tokens=2 * CACHED,
            cache_write_tokens=2 * WRITTEN,
            turns=2,
        )
        assert sorted(offered) == sorted(told.tools) == ["Glob", "Grep", "Read"]
        assert (told.model, told.skills) == (MODELS["claude"], ())
        assert [(call.name, call.paths) for call in told.calls] == [("Read", ("change.patch",))]
    else:  # it counts what came from the cache among the input
        assert told.usage == Usage(
            input_tokens=2 * (INPUT - CACHED),
            output_tokens=2 * OUTPUT,
            cache_read_tokens=2 * CACHED,
            cache_write_tokens=0,
        )
        assert set(offered) == {"exec_command", "write_stdin", "request_user_input"}
        assert [call.name for call in told.calls] == ["command_execution"]
        assert "skills_instructions" not in str(held.server.asked[0].body)
    assert len(held.server.requests) == 2  # nothing else was asked of anybody


@both
def test_prose_is_an_answer_for_whoever_reads_answers(stand: Stand) -> None:
    held = stand.hold(Say("It looks fine, see [{not json"))
    assert (held.failure, held.session.told.text) == (None, "It looks fine, see [{not json")


@both
@pytest.mark.parametrize(
    ("step", "kind", "again"),
    [
        (Refuse(401), "auth", False),
        (Refuse(429), "rate_limit", True),
        (Refuse(529), "overloaded", True),
        (Drop(), "api", True),
    ],
    ids=["401", "429", "529", "reset"],
)
def test_a_service_that_refuses_is_an_error_of_its_kind(stand: Stand, step: Step, kind: str, again: bool) -> None:
    held = stand.hold(step)
    assert held.failure is not None
    assert (held.failure.kind, held.failure.again) == (kind, again), held.failure
    assert 1 <= len(held.server.asked) <= 6
    told = held.session.told
    assert (told.text, told.cost_usd) == ("", None)
    if stand.agent.name == "claude":
        assert told.usage is not None
        assert (told.usage.input_tokens, told.usage.output_tokens) == (0, 0)
        assert (held.failure.retry_after or 0) >= (RETRY_AFTER if kind == "rate_limit" else 0)
    else:
        assert (told.usage, held.failure.retry_after) == (None, None)


@both
def test_a_hang_ends_in_time_and_what_was_streamed_is_kept(stand: Stand) -> None:
    held = stand.hold(stand.look("change.patch"), Hang("I have found so far"), timeout=10)
    assert held.failure is not None
    assert held.failure.kind == "timeout"
    told = held.session.told
    assert len(told.calls) == 1
    assert told.cost_usd is None
    if stand.agent.name == "claude":
        assert told.text == "I have found so far"
        assert told.usage is not None
        assert (told.usage.input_tokens, told.usage.output_tokens) == (2 * INPUT, None)
    else:  # it prints whole messages, and tokens only at the end
        assert (told.text, told.usage) == ("Looking.", None)


@claude
def test_more_turns_than_it_may_have_are_an_error_with_its_usage(stand: Stand) -> None:
    held = stand.hold(stand.look("change.patch"), max_turns=2)
    assert held.failure is not None
    assert held.failure.kind == "max_turns"
    assert held.session.told.usage is not None
    assert held.session.told.usage.input_tokens == 2 * INPUT


@codex
@pytest.mark.parametrize("where", ["stand", "uncontained"])
def test_its_shell_has_no_key_no_network_and_writes_nothing(
    stand: Stand, where: str, request: pytest.FixtureRequest
) -> None:
    stand = request.getfixturevalue(where)
    environments = "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -a planted"
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        held = stand.hold(
            stand.run(f"env; {environments}; grep -ra planted . 2>/dev/null; echo done"),
            stand.run(f"(exec 3<>/dev/tcp/127.0.0.1/{port}) && echo reached; echo done"),
            stand.run("touch x home/x /tmp/x && echo written; echo done"),
            Call("exec_command", {"cmd": "env", "sandbox_permissions": "require_escalated", "justification": "x"}),
            Say("[]"),
        )
    assert held.failure is None
    seen, network, writing, escalated = held.results  # that no key is in them is asserted of every session
    assert "HOME=" in seen
    assert not [result for result in held.results[:3] if "done" not in result]
    assert "reached" not in network
    assert "not permitted" in network
    assert "written" not in writing
    assert "reject" in escalated


@codex
def test_without_a_sandbox_of_its_own_for_its_shell_it_is_not_started(stand: Stand) -> None:
    contained(stand)

    class Closed(Watched):
        def launch(self, probe: Probe, ask: Ask, environ: Mapping[str, str]) -> Launch:
            made = super().launch(probe, ask, environ)
            return dataclasses.replace(made, view=dataclasses.replace(made.view, nested=False))

    with pytest.raises(ReviewFailed, match=r"codex cannot work here .*bwrap: .*namespace") as error:
        dataclasses.replace(stand, agent=Closed(stand.agent)).hold(Say("[]"))
    assert error.value.kind == "trial"


def lend(stand: Stand, file: str, login: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch) -> Login:
    """A login for a session that has no key."""
    own = stand.folder / "own" / file
    own.parent.mkdir(parents=True)
    own.write_text(json.dumps(login))
    monkeypatch.setenv("HOME", str(stand.folder / "own"))
    stand.keys = {name: value for name, value in stand.keys.items() if name != KEYS[stand.agent.name]}
    stand.lends = True
    _, found = inherited(stand.agent, {"HOME": str(stand.folder / "own")})
    assert found is not None
    return found


@claude
def test_a_login_pays_where_there_is_no_key(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    token = f"planted-{secrets.token_hex(16)}"
    oauth = {
        "accessToken": token, "refreshToken": f"r-{token}", "expiresAt": 4_000_000_000_000,
        "scopes": ["user:inference", "user:profile"], "subscriptionType": "max",
    }  # fmt: skip
    login = lend(stand, ".claude/.credentials.json", {"claudeAiOauth": oauth}, monkeypatch)
    copy = stand.home / login.place
    held = stand.hold(stand.look(str(copy)), Say("[]"), login=login)
    assert (held.failure, held.session.told.text) == (None, "[]")
    assert {request.headers.get("authorization") for request in held.server.asked} == {f"Bearer {token}"}
    assert token not in held.session.transcript.decode()
    assert token not in str([request.body for request in held.server.requests])


@codex
@pytest.mark.parametrize("where", ["stand", "uncontained"])
def test_its_shell_cannot_read_a_login_that_is_lent(
    stand: Stand, where: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand = request.getfixturevalue(where)
    token = f"planted-{secrets.token_hex(16)}"
    login = lend(stand, ".codex/auth.json", {"tokens": {"access_token": token}}, monkeypatch)
    copy = stand.home / login.place
    reading = f"cat {copy} {login.file} /proc/[0-9]*/root{copy} /proc/[0-9]*/root{login.file}"
    held = stand.hold(
        stand.run(f"{reading}; grep -ra planted $HOME {stand.folder}/own; ls -a $HOME; echo done"),
        stand.run(
            "(exec 3<>/dev/tcp/127.0.0.1/9) && echo reached; touch x && echo written; cat change.patch; echo done"
        ),
        Say("[]"),
        login=login,
    )
    assert held.failure is None
    looked, acted = held.results
    assert "done" in looked
    assert token not in str([request.body for request in held.server.requests])
    assert "reached" not in acted
    assert "written" not in acted
    assert "the change itself" in acted


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere" / "deep-look"
    (folder / "references").mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: deep-look\ndescription: Reviews deeply.\n---\n# Look\n\n{BODY}\n")
    (folder / "references" / "diff.md").write_text("How a diff is read.\n")
    return folder


@both
def test_a_skill_is_offered_loaded_and_its_references_can_be_read(stand: Stand, skill: Path) -> None:
    home = stand.workspace / "home"
    if stand.agent.name == "claude":
        load = Call("Skill", {"skill": "local:deep-look"})
        reference = stand.look(f"{home}/plugin/skills/deep-look/references/diff.md")
    else:
        load = stand.run("cat $HOME/.codex/skills/deep-look/SKILL.md")
        reference = stand.run("cat $HOME/.codex/skills/deep-look/references/diff.md")
    held = stand.hold(load, reference, Say("[]"), skill=skill)
    assert held.failure is None
    assert held.session.told.skills_loaded == ("deep-look",)
    offered, _, told = held.server.asked
    assert "Reviews deeply." in str(offered.body)
    assert BODY not in str(offered.body)
    assert BODY in str(told.body)
    assert "How a diff is read." in held.results[1]
    if stand.agent.name == "claude":
        assert "deep-look" in held.session.told.skills
        assert "code-review" not in held.session.told.skills  # its own, which would help the arm without one


@both
def test_a_skill_that_is_only_spoken_of_was_not_loaded(stand: Stand, skill: Path) -> None:
    held = stand.hold(Say(f"I used the skill local:deep-look. {BODY} []"), skill=skill)
    assert held.failure is None
    assert held.session.told.skills_loaded == ()
