"""A model on the loopback that says what a test wrote down, streamed: Anthropic Messages, OpenAI Responses and Chat
Completions, Google's generateContent.

Run by hand it serves one script: `python -m tests.real.model_server '[["call", "Read", {...}], ["say", "[]"]]'`.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.real.loopback import NO_HEADERS, Handler, Json, Loopback

NOTHING: Json = {"error": {"type": "not_found_error", "message": "there is nothing here"}}
INPUT, CACHED, WRITTEN, OUTPUT = 1000, 300, 50, 200
"""Tokens of every answer: read anew, read from the cache, written to it, and said."""
RETRY_AFTER = 2
"""Seconds that a refusal with 429 asks for."""


@dataclass(frozen=True)
class Say:
    """The answer that ends the session."""

    text: str


@dataclass(frozen=True)
class Call:
    """A tool that the model wants to be run, after a few words."""

    tool: str
    arguments: Mapping[str, Any]
    text: str = "Looking."


@dataclass(frozen=True)
class Refuse:
    """An answer with this HTTP status, and when to ask again."""

    status: int
    retry_after_ms: int | None = None


@dataclass(frozen=True)
class Hang:
    """No answer; `after` are words that are streamed before."""

    after: str = ""


@dataclass(frozen=True)
class Drop:
    """The connection is reset."""


Step = Say | Call | Refuse | Hang | Drop


@dataclass
class Request:
    """What an agent sent."""

    path: str
    headers: Mapping[str, str]
    body: Json

    @property
    def results(self) -> list[str]:
        """What the tools gave back, oldest first."""
        found = []
        for message in self.body.get("messages", []):
            if message["role"] == "tool":
                found.append(json.dumps(message["content"]))
            blocks = message["content"] if isinstance(message["content"], list) else []
            found += [json.dumps(block["content"]) for block in blocks if block.get("type") == "tool_result"]
        entries = self.body.get("input", [])
        if isinstance(entries, list):
            found += [json.dumps(e["output"]) for e in entries if str(e.get("type", "")).endswith("call_output")]
        parts = [part for content in self.body.get("contents", []) for part in content.get("parts", [])]
        found += [json.dumps(part["functionResponse"]["response"]) for part in parts if "functionResponse" in part]
        return found

    @property
    def tools(self) -> list[str]:
        found = []
        for tool in self.body.get("tools") or []:
            declared = tool.get("functionDeclarations") or [tool.get("function") or tool]
            found += [one.get("name") or one.get("type") or "/".join(one) for one in declared]
        return found

    @property
    def answered_by(self) -> Callable[[int, Say | Call, Json], Iterator[Json]] | None:
        """Who writes answers in the protocol of this request; None: it asks for no answer."""
        _, _, method = self.path.rpartition(":")
        return ANSWERS.get(self.path) or ANSWERS.get(method)


class _Handler(Handler):
    def do_HEAD(self) -> None:  # noqa: N802 (the name that http.server calls)
        self._document(200, {})

    def do_GET(self) -> None:  # noqa: N802 (the name that http.server calls)
        self.server.owner.requests.append(Request(self.path, dict(self.headers), {}))
        self._document(404, NOTHING)

    def do_POST(self) -> None:  # noqa: N802 (the name that http.server calls)
        model: ModelServer = self.server.owner
        request = Request(self.path.split("?")[0], {k.lower(): v for k, v in self.headers.items()}, self.body())
        model.requests.append(request)
        answer = request.answered_by
        if answer is None:
            return self._document(404, NOTHING)
        match model.step(request):
            case Refuse(status, wait):
                kind = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}.get(
                    status, "api_error"
                )
                error: Json = {"type": kind, "code": kind, "message": f"scripted {kind}"}
                if answer is _google:
                    error = {"code": status, "message": f"scripted {kind}", "status": kind.upper()}
                again = {"retry-after": str(RETRY_AFTER)} if status == 429 else {}
                again |= {} if wait is None else {"retry-after-ms": str(wait)}
                return self._document(status, {"type": "error", "error": error}, again)
            case Drop():
                self.reset()
            case Hang(after):
                if after:
                    events = list(answer(model.next_id(), Say(after), request.body))
                    self.events(events[: _until_text(events)])
                return model.wait_for_end()
            case Say() | Call() as said:
                self.events(answer(model.next_id(), said, request.body))
                self.close_connection = True
        return None

    def _document(self, status: int, value: Json, headers: Mapping[str, str] = NO_HEADERS) -> None:
        self.document(status, json.dumps(value).encode(), headers)


@dataclass
class ModelServer(Loopback):
    """Serves `steps`: one that has got n results of tools gets step n, the last one for ever after."""

    handler = _Handler

    steps: Sequence[Step]
    requests: list[Request] = field(default_factory=list)
    _ids: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def asked(self) -> list[Request]:
        """The requests for an answer, without those that agents send besides."""
        return [request for request in self.requests if request.answered_by is not None]

    def step(self, request: Request) -> Step:
        return self.steps[min(len(request.results), len(self.steps) - 1)]

    def next_id(self) -> int:
        return next(self._ids)


def _until_text(events: Sequence[Json]) -> int:
    """How many events there are up to the last piece of text."""
    words = ("content_block_delta", "response.output_text.delta")
    if "type" not in events[0]:
        return len(events) - 1  # how it ends is told last
    return max(n for n, event in enumerate(events) if event["type"] in words) + 1


def _messages(n: int, said: Say | Call, asked: Json) -> Iterator[Json]:
    usage = {
        "input_tokens": INPUT, "cache_read_input_tokens": CACHED, "cache_creation_input_tokens": WRITTEN,
        "output_tokens": 1,
    }  # fmt: skip
    message: Json = {
        "id": f"msg_{n:04d}", "type": "message", "role": "assistant", "model": asked.get("model"), "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    yield {"type": "message_start", "message": message}
    yield from _block(0, {"type": "text", "text": ""}, "text", "text_delta", said.text)
    if isinstance(said, Call):
        tool = {"type": "tool_use", "id": f"toolu_{n:04d}", "name": said.tool, "input": {}}
        yield from _block(1, tool, "partial_json", "input_json_delta", json.dumps(said.arguments))
    stop = "tool_use" if isinstance(said, Call) else "end_turn"
    yield {
        "type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
        "usage": {"output_tokens": OUTPUT},
    }  # fmt: skip
    yield {"type": "message_stop"}


def _block(index: int, start: Json, key: str, delta: str, text: str) -> Iterator[Json]:
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for piece in (text[: len(text) // 2], text[len(text) // 2 :]):
        yield {"type": "content_block_delta", "index": index, "delta": {"type": delta, key: piece}}
    yield {"type": "content_block_stop", "index": index}


def _responses(n: int, said: Say | Call, asked: Json) -> Iterator[Json]:
    usage = {
        "input_tokens": INPUT, "input_tokens_details": {"cached_tokens": CACHED}, "output_tokens": OUTPUT,
        "output_tokens_details": {"reasoning_tokens": 20}, "total_tokens": INPUT + OUTPUT,
    }  # fmt: skip
    text = {"type": "output_text", "text": said.text, "annotations": []}
    items: list[Json] = [
        {"type": "message", "id": f"msg_{n}", "role": "assistant", "status": "completed", "content": [text]}
    ]
    if isinstance(said, Call):
        items.append({
            "type": "function_call", "id": f"fc_{n}", "call_id": f"call_{n}", "name": said.tool,
            "arguments": json.dumps(said.arguments), "status": "completed",
        })  # fmt: skip
    response: Json = {
        "id": f"resp_{n}", "object": "response", "created_at": 0, "model": asked.get("model"), "error": None,
    }  # fmt: skip
    yield {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}}
    for index, item in enumerate(items):
        started = {**item, "status": "in_progress"} | ({"content": []} if item["type"] == "message" else {})
        yield {"type": "response.output_item.added", "output_index": index, "item": started}
        if item["type"] == "message":
            for piece in (said.text[: len(said.text) // 2], said.text[len(said.text) // 2 :]):
                yield {
                    "type": "response.output_text.delta", "item_id": item["id"], "output_index": index,
                    "content_index": 0, "delta": piece,
                }  # fmt: skip
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    done = {**response, "status": "completed", "output": items, "usage": usage}
    yield {"type": "response.completed", "response": done}


def _chat(n: int, said: Say | Call, asked: Json) -> Iterator[Json]:
    usage = {
        "prompt_tokens": INPUT, "prompt_tokens_details": {"cached_tokens": CACHED}, "completion_tokens": OUTPUT,
        "total_tokens": INPUT + OUTPUT,
    }  # fmt: skip
    chunk: Json = {
        "id": f"chatcmpl-{n}", "object": "chat.completion.chunk", "created": 0, "model": asked.get("model"),
    }  # fmt: skip

    def told(delta: Json, stop: str | None = None, **more: Any) -> Json:
        return {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": stop}], **more}

    yield told({"role": "assistant", "content": said.text[: len(said.text) // 2]})
    yield told({"content": said.text[len(said.text) // 2 :]})
    if isinstance(said, Call):
        function = {"name": said.tool, "arguments": json.dumps(said.arguments)}
        yield told({"tool_calls": [{"index": 0, "id": f"call_{n}", "type": "function", "function": function}]})
    yield told({}, "tool_calls" if isinstance(said, Call) else "stop", usage=usage)


def _google(n: int, said: Say | Call, asked: Json) -> Iterator[Json]:
    usage = {
        "promptTokenCount": INPUT, "cachedContentTokenCount": CACHED, "candidatesTokenCount": OUTPUT,
        "totalTokenCount": INPUT + OUTPUT,
    }  # fmt: skip
    parts: list[Json] = [{"text": said.text[: len(said.text) // 2]}, {"text": said.text[len(said.text) // 2 :]}]
    if isinstance(said, Call):
        parts.append({"functionCall": {"name": said.tool, "args": said.arguments}})
    about = {"responseId": f"r{n}", "modelVersion": "scripted-version"}
    for part in parts:
        yield {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}], **about}
    yield {"candidates": [{"finishReason": "STOP", "index": 0}], "usageMetadata": usage, **about}


ANSWERS = {
    "/v1/messages": _messages, "/v1/responses": _responses, "/v1/chat/completions": _chat,
    "streamGenerateContent": _google,
}  # fmt: skip
"""By path, or by what stands behind its colon."""


def main(script: str) -> None:
    kinds = {"say": Say, "call": Call, "refuse": Refuse, "hang": Hang, "drop": Drop}
    steps = [kinds[word](*rest) for word, *rest in json.loads(script)]
    with ModelServer(steps) as server:
        print(server.url, flush=True)  # noqa: T201
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            for request in server.requests:
                print(json.dumps([request.path, request.headers, request.body]))  # noqa: T201


if __name__ == "__main__":
    import sys

    main(sys.argv[1])
