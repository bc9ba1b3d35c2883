"""What harness and minder say to each other: one request, one answer, both JSON."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
from collections.abc import Mapping
from typing import Any


def packed(request: Mapping[str, Any]) -> bytes:
    """`request` with its length before it. Raises `ValueError` for what no program can be given."""
    text = json.dumps(request).encode()
    return struct.pack("!I", len(text)) + text


def read_request(control: socket.socket) -> Any:
    """The request, or None when the harness is gone before it was whole."""
    head = _received(control, 4)
    text = _received(control, struct.unpack("!I", head)[0]) if len(head) == 4 else b""
    try:
        return json.loads(text)
    except ValueError:
        return None


def tell(control: socket.socket, what: Mapping[str, Any]) -> None:
    """Say how it ended, if anybody listens still."""
    with contextlib.suppress(OSError):
        control.sendall(json.dumps(what).encode())
        control.shutdown(socket.SHUT_RDWR)  # sooner than by the end of this process


def _received(control: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size and (part := control.recv(size - len(parts))):
        parts += part
    return bytes(parts)
