"""The agent `llm` with its real libraries against scripted services on the loopback: what comes of each answer.

Most calls are made in this process, for the libraries take seconds to import; the program in its sandbox is
started by the sessions at the end.
"""

from __future__ import annotations

import gc
import io
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_reviewbench.contain import preflight
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.sandbox import View
from pytest_reviewbench.model import Usage
from pytest_reviewbench.sessions.llm import call
from pytest_reviewbench.sessions.llm.agent import Llm
from pytest_reviewbench.sessions.llm.service import Protocol, Service
from pytest_reviewbench.sessions.protocol import Ask, Ended, Reading
from tests.real.model_server import CACHED, INPUT, OUTPUT, WRITTEN
from tests.real.model_service import ModelService, Reply
from tests.samples import BUG, HIT, runs, write_case, write_project
from tests.session.calls import reviewbench

GOOD = json.dumps([HIT])
PATCH = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-x = 1\n+x = 2  # the change itself\n"
PATHS: dict[Protocol, str] = {
    "messages": "/v1/messages", "responses": "/v1/responses", "chat": "/v1/chat/completions",
}  # fmt: skip
ONCE = {"input": INPUT - CACHED, "cache_read": CACHED, "cache_write": 0, "output": OUTPUT}
"""Tokens of one request at a service of OpenAI's kind, which counts what came from the cache as input."""

every = pytest.mark.parametrize("protocol", PATHS)
Call = Callable[..., tuple[Reading, ModelService]]


def usage(turns: int, **counts: int) -> Usage:
    return Usage(turns=turns, **{f"{name}_tokens": count * turns for name, count in counts.items()})


@pytest.fixture
def called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Iterator[Call]:
    """Makes a call in this process and reads it as a session's is read."""
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "change.patch").write_text(PATCH)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLANTED", "planted-key")

    def make(protocol: Protocol, *replies: Reply, findings: bool = True) -> tuple[Reading, ModelService]:
        with ModelService(replies) as service:
            url = service.url if protocol == "messages" else f"{service.url}/v1"
            agent = Llm(Service("m-1", protocol, url, "PLANTED"))
            ask = Ask("Review it.\n", tmp_path, home, View(), 60, findings=findings)
            probed = agent.probe()
            assert probed is not None
            argv = agent.launch(probed, ask, {}).argv
            monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(ask.prompt.encode())))
            code = call.main(argv[3:])  # after the interpreter, -I and the file
            printed = capsysbinary.readouterr().out
        return agent.read(Ended(code, printed), ask, {}), service

    yield make
    gc.collect()  # what a call leaves open is to be told of this test, not of whichever runs next


@every
def test_a_model_gets_the_prompt_and_the_change_and_its_findings_are_read(called: Call, protocol: Protocol) -> None:
    reading, service = called(protocol, Reply(GOOD))
    assert (reading.failure, reading.told.unparsable) == (None, None)
    assert (reading.told.text, reading.told.model) == (GOOD, "m-1")
    assert service.paths == [PATHS[protocol]]
    assert service.keys == ["Bearer planted-key"]
    said = json.dumps(service.bodies[0])
    assert "Review it." in said
    assert "the change itself" in said
    assert not {"tools", "response_format", "temperature"} & service.bodies[0].keys()
    fresh = {"input": INPUT, "cache_write": WRITTEN} if protocol == "messages" else {}
    assert reading.told.usage == usage(1, **{**ONCE, **fresh})


def test_an_answer_that_is_no_list_of_findings_is_asked_for_once_more(called: Call) -> None:
    reading, service = called("chat", Reply("It looks fine to me."), Reply(f'```json\n{{"findings": {GOOD}}}\n```'))
    assert (reading.failure, reading.told.unparsable) == (None, None)
    assert "off by one" in reading.told.text
    roles = [message["role"] for message in service.bodies[1]["messages"]]
    assert roles == ["user", "assistant", "user"]
    assert "it is no list of findings" in service.bodies[1]["messages"][2]["content"]
    assert reading.told.usage == usage(2, **ONCE)


@pytest.mark.parametrize(
    "text",
    ["It looks fine to me.", "", '[{"file": "x.py", "line": 1}]', '{"answer": []}', f"Here it is: {GOOD}"],
    ids=["prose", "empty", "no text", "object", "prose around"],
)
def test_an_answer_that_does_not_pass_twice_is_unparsable_and_no_error(called: Call, text: str) -> None:
    reading, service = called("messages", Reply(text))
    assert reading.failure is None
    assert (reading.told.unparsable or "").startswith("twice: ")
    assert len(service.bodies) == 2
    assert reading.told.usage is not None
    assert reading.told.usage.output_tokens == 2 * OUTPUT


@every
def test_an_answer_cut_off_by_the_most_tokens_is_unparsable_and_not_asked_for_again(
    called: Call, protocol: Protocol
) -> None:
    reading, service = called(protocol, Reply(GOOD[:40], cut=True))
    assert reading.failure is None
    assert "cut off" in (reading.told.unparsable or "")
    assert (reading.told.text, len(service.bodies)) == (GOOD[:40], 1)


@pytest.mark.parametrize("protocol", ["messages", "chat"])
@pytest.mark.parametrize(
    ("reply", "kind", "again"),
    [
        (Reply(status=400), "api", False),
        (Reply(status=401), "auth", False),
        (Reply(status=403), "auth", False),
        (Reply(status=429, headers={"retry-after": "7"}), "rate_limit", True),
        (Reply(status=500), "api", True),
        (Reply(status=503), "overloaded", True),
        (Reply(status=529), "overloaded", True),
        (Reply(reset=True), "api", True),
        (Reply(page=True), "api", False),
    ],
    ids=["400", "401", "403", "429", "500", "503", "529", "reset", "page"],
)
def test_a_service_that_refuses_is_an_error_of_its_kind_after_one_request(
    called: Call, protocol: Protocol, reply: Reply, kind: str, again: bool
) -> None:
    reading, service = called(protocol, reply)
    assert reading.failure is not None
    assert (reading.failure.kind, reading.failure.again) == (kind, again), reading.failure
    assert reading.failure.retry_after == (7 if kind == "rate_limit" else None)
    assert len(service.bodies) == 1
    assert (reading.told.text, reading.told.usage) == ("", None)


@every
@pytest.mark.parametrize("reply", [Reply(GOOD), Reply(status=401)], ids=["answered", "refused"])
def test_the_connections_of_a_call_are_closed_when_it_ends(
    called: Call, protocol: Protocol, reply: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    clients: list[Any] = []
    make = call._client

    def noted(options: Any) -> Any:
        clients.append(make(options))
        return clients[-1]

    monkeypatch.setattr(call, "_client", noted)
    called(protocol, reply)
    assert [client.is_closed() for client in clients] == [True]


def test_what_was_paid_before_a_refusal_is_known_and_after_a_reset_it_is_not(called: Call) -> None:
    reading, _ = called("chat", Reply("prose"), Reply(status=429))
    assert reading.failure is not None
    assert reading.told.usage == usage(1, **ONCE)
    reading, _ = called("chat", Reply("prose"), Reply(reset=True))
    assert reading.told.usage == Usage(turns=1)


def test_a_service_that_tells_no_tokens_leaves_them_unknown(called: Call) -> None:
    reading, _ = called("chat", Reply(GOOD, usage=False))
    assert reading.told.text == GOOD
    assert reading.told.usage == Usage(turns=1)


def test_a_judge_gets_its_prompt_alone_and_may_say_anything(called: Call) -> None:
    reading, service = called("chat", Reply("verdicts in any form"), findings=False)
    assert (reading.told.text, reading.told.unparsable) == ("verdicts in any form", None)
    assert len(service.bodies) == 1
    assert service.bodies[0]["messages"] == [{"role": "user", "content": "Review it.\n"}]


class JudgeService(ModelService):
    """A model that takes every finding for bug 1."""

    def reply(self) -> Reply:
        prompt = self.bodies[-1]["messages"][0]["content"]
        found = re.search(r"^<<<(\w+) findings\n(.*?)\n\1>>>", prompt, re.MULTILINE | re.DOTALL)
        assert found is not None
        ids = [json.loads(line)["id"] for line in found[2].split("\n")]
        return Reply(json.dumps([{"id": i, "reason": "so", "bugs": [1], "verdict": "gt_same"} for i in ids]))


def test_two_models_compare_in_one_session_with_a_judge_and_no_key_is_left_anywhere(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = {name: f"zanzibar-{name.lower()}-77" for name in ("FIRST", "SECOND", "THIRD", "OPENAI_API_KEY")}
    for name, value in planted.items():
        monkeypatch.setenv(name, value)
    write_case(pytester.path / "corpus", "py-1")
    echo = Reply(f"the key {planted['SECOND']} is not good", status=401)
    with (
        ModelService([Reply(GOOD)]) as first,
        ModelService([echo]) as second,
        JudgeService([]) as third,
    ):
        arms: dict[str, dict[str, Any]] = {
            "first": {"model": "local:7b", "base_url": f"{first.url}/v1", "auth_env": "FIRST"},
            "second": {"model": "anthropic:claude-x", "base_url": second.url, "auth_env": "SECOND"},
        }
        prices = '[tool.reviewbench.prices."local:7b"]\ninput = 1\noutput = 2\ncache_read = 0.1'
        arms = {name: {"family": "plain", "agent": "llm", **arm} for name, arm in arms.items()}
        write_project(pytester.path, arms, settings=prices, sandbox="auto")
        result = pytester.runpytest_subprocess(
            "--reviewbench-arm=first",
            "--reviewbench-arm=second",
            "--reviewbench-verifier=judge:llm:openai:wise-1",
            f"--reviewbench-base-url={third.url}/v1",
            "--reviewbench-auth-env=THIRD",
            "--junitxml=out.xml",
            "-vv",
        )
        (judged_run,) = pytester.path.glob(".reviewbench/runs/first-*")
        same = ("--verifier=judge:llm:openai:wise-1", f"--base-url={third.url}/v1", "--auth-env=THIRD")
        again = reviewbench(pytester.path, "verify", str(judged_run), *same)
    assert "0 sessions held" in again.stdout, again  # the same judge at the same address has nothing to do
    result.assert_outcomes(passed=1, failed=1)
    keys = [service.keys for service in (first, second, third)]
    assert keys == [[f"Bearer {planted[name]}"] for name in ("FIRST", "SECOND", "THIRD")]
    assert third.bodies[0]["model"] == "wise-1"
    by_arm = {run.name.partition("-")[0]: run for run in runs(pytester.path)}
    reviews = {arm: json.loads((run / "reviews/py-1.json").read_text()) for arm, run in by_arm.items()}
    assert (reviews["first"]["status"], reviews["second"]["status"]) == ("ok", "error")
    cost = ((INPUT - CACHED) * 1 + OUTPUT * 2 + CACHED * 0.1) / 1e6
    assert reviews["first"]["cost_usd"] == pytest.approx(cost, abs=1e-12)
    assert reviews["first"]["cost_source"] == "priced"
    assert reviews["second"]["error"]["message"] == "llm: HTTP 401: the key [redacted] is not good"
    assert (reviews["second"]["cost_usd"], reviews["second"]["cost_source"]) == (None, "none")
    (verdicts,) = (by_arm["first"] / "verdicts").rglob("*.json")
    judged = json.loads(verdicts.read_text())
    assert [verdict["bugs"] for verdict in judged["verdicts"].values()] == [[BUG["id"]]]
    assert (judged["agent"], judged["model"]) == ("llm", "wise-1")
    manifest = json.loads((by_arm["first"] / "manifest.json").read_text())
    assert manifest["base_url"] == f"{first.url}/v1"
    assert manifest["price"] == {"input": 1, "output": 2, "cache_read": 0.1, "cache_write": 1}
    assert manifest["versions"].keys() == {"llm", "genai-prices"}
    texts = [path.read_text(errors="replace") for path in pytester.path.rglob("*") if path.is_file()]
    for text in (*texts, str(result.stdout), str(result.stderr)):
        assert "zanzibar" not in text


def test_a_model_that_says_nothing_any_more_ends_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pytest_reviewbench.sessions.hold import hold
    from pytest_reviewbench.sessions.protocol import SessionFailed

    home = tmp_path / "home"
    home.mkdir()
    children = Children()
    children.sandbox = preflight.probe(children)
    try:
        with ModelService([Reply("words that end here", hang=True)]) as service:
            agent = Llm(Service("m-1", "chat", f"{service.url}/v1"))
            ask = Ask("Say something.", tmp_path, home, View(readable=(tmp_path,), writable=(home,)), 8)
            probed = agent.probe()
            assert probed is not None
            with pytest.raises(SessionFailed, match="llm took over 8 s") as error:
                hold(agent, probed, ask, children, os.environ)
    finally:
        children.close()
    assert error.value.kind == "timeout"
    assert error.value.partial is not None
    assert error.value.partial.told.usage is None
