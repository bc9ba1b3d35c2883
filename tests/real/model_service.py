"""A model's service on the loopback for the agent `llm`: each request gets the next scripted answer, streamed.

Anthropic Messages, OpenAI Responses and Chat Completions; all but what is about model calls alone comes from
`tests.real.model_server`.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.real import model_server
from tests.real.model_server import CACHED, INPUT, OUTPUT

Json = dict[str, Any]


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


@dataclass
class ModelService:
    """Answers requests one after the other with `replies`, the last one for ever after."""

    replies: Sequence[Reply]
    bodies: list[Json] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def __enter__(self) -> ModelService:
        self._stop = threading.Event()
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.service = self
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._http.shutdown()
        self._http.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def reply(self) -> Reply:
        """What the last request gets."""
        return self.replies[min(len(self.bodies), len(self.replies)) - 1]

    def wait_for_end(self) -> None:
        self._stop.wait(120)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    service: ModelService

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A program that is stopped closes its connection: no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass

    def do_POST(self) -> None:
        service = self.server.service
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        service.bodies.append(body)
        service.paths.append(self.path.split("?")[0])
        service.keys.append(self.headers.get("x-api-key") or self.headers.get("authorization") or "")
        reply = service.reply()
        if reply.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        elif reply.page:
            self._send(200, "text/html", b"<html>log in</html>")
        elif reply.status != 200:
            error = {"type": "error", "error": {"type": "x", "code": "x", "message": reply.text or "scripted"}}
            self._send(reply.status, "application/json", json.dumps(error).encode(), reply.headers)
        else:
            events = list(_events(self.path, body, reply))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            for event in events[: len(events) - 3] if reply.hang else events:
                kind = f"event: {event['type']}\n" if "type" in event else ""
                self.wfile.write(f"{kind}data: {json.dumps(event)}\n\n".encode())
                self.wfile.flush()
            if reply.hang:
                service.wait_for_end()
        self.close_connection = True

    def _send(self, status: int, kind: str, raw: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "content-type": kind, "content-length": str(len(raw))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)


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
