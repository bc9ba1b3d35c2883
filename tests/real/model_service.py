"""A model's service on the loopback for the agent `llm`: each request gets the next scripted answer, streamed.

Anthropic Messages, OpenAI Responses and Chat Completions; all but what is about model calls alone comes from
`tests.real.model_server` and `tests.real.loopback`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tests.real import model_server
from tests.real.loopback import Handler, Json, Loopback
from tests.real.model_server import CACHED, INPUT, OUTPUT


@dataclass(frozen=True)
class Reply:
    """What one request gets: an answer (`cut`: by the most tokens), a refusal, silence after a part of `text`, a
    reset, a page of HTML. `usage`: does it say what it counted?
    """

    text: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    hang: bool = False
    reset: bool = False
    page: bool = False
    usage: bool = True


class _Handler(Handler):
    def do_POST(self) -> None:  # noqa: N802 (the name that http.server calls)
        service: ModelService = self.server.owner
        body = self.body()
        service.bodies.append(body)
        service.paths.append(self.path.split("?")[0])
        service.keys.append(self.headers.get("x-api-key") or self.headers.get("authorization") or "")
        reply = service.reply()
        if reply.reset:
            self.reset()
        elif reply.page:
            self.document(200, b"<html>log in</html>", kind="text/html")
        elif reply.status != 200:
            error = {"type": "error", "error": {"type": "x", "code": "x", "message": reply.text or "scripted"}}
            self.document(reply.status, json.dumps(error).encode(), reply.headers)
        else:
            events = list(_events(self.path, body, reply))
            self.events(events[: len(events) - 3] if reply.hang else events)
            if reply.hang:
                service.wait_for_end()
        self.close_connection = True


@dataclass
class ModelService(Loopback):
    """Answers requests one after the other with `replies`, the last one for ever after."""

    handler = _Handler

    replies: Sequence[Reply]
    bodies: list[Json] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def reply(self) -> Reply:
        """What the last request gets."""
        return self.replies[min(len(self.bodies), len(self.replies)) - 1]


def _events(path: str, body: Json, reply: Reply) -> Iterator[Json]:
    said = model_server.Say(reply.text)
    if path.startswith("/v1/messages"):
        for event in model_server._messages(1, said, body):
            if reply.cut and event["type"] == "message_delta":
                event["delta"]["stop_reason"] = "max_tokens"
            yield event
    elif path.startswith("/v1/responses"):
        for event in model_server._responses(1, said, body):
            if reply.cut and event["type"] == "response.completed":
                event["type"] = "response.incomplete"
                event["response"] |= {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
            yield event
    else:
        yield from _chat(body, reply)


def _chat(body: Json, reply: Reply) -> Iterator[Json]:
    chunk = {"id": "c-1", "object": "chat.completion.chunk", "created": 0, "model": body["model"]}
    half = len(reply.text) // 2
    for piece in (reply.text[:half], reply.text[half:]):
        yield {**chunk, "choices": [{"index": 0, "delta": {"role": "assistant", "content": piece}}]}
    yield {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "length" if reply.cut else "stop"}]}
    usage = {
        "prompt_tokens": INPUT, "completion_tokens": OUTPUT, "total_tokens": INPUT + OUTPUT,
        "prompt_tokens_details": {"cached_tokens": CACHED},
    }  # fmt: skip
    yield {**chunk, "choices": [], **({"usage": usage} if reply.usage else {})}
