"""A server on the loopback for the time of a `with` block, and what its answers are written with."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType, TracebackType
from typing import Any, Self

Json = dict[str, Any]
NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Loopback:
    """Served by `handler`, which finds it as `self.server.owner`."""

    handler: type[Handler]

    def __enter__(self) -> Self:
        self._stop = threading.Event()
        self._http = _Server(("127.0.0.1", 0), self.handler)
        self._http.owner = self
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

    def wait_for_end(self) -> None:
        """Say nothing any more."""
        self._stop.wait(300)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    owner: Any

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Programs that are stopped close their connections: no news."""


class Handler(BaseHTTPRequestHandler):
    """Answers with documents and streams of events."""

    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass

    def body(self) -> Json:
        found: Json = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        return found

    def reset(self) -> None:
        """End the connection by a reset, not in order."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def document(
        self, status: int, raw: bytes, headers: Mapping[str, str] = NO_HEADERS, kind: str = "application/json"
    ) -> None:
        self.send_response(status)
        for name, text in {**headers, "content-type": kind, "content-length": str(len(raw))}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(raw)

    def events(self, events: Iterable[Json]) -> None:
        """A stream of server-sent events, named where they have a type."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in events:
            named = f"event: {event['type']}\n" if "type" in event else ""
            self.wfile.write(f"{named}data: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
