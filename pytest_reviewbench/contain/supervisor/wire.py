"""What harness and minder say to each other: a request with descriptors, one line of JSON as the answer."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
from collections.abc import Mapping, Sequence
from typing import Any

END = b"e"
"""What the harness sends to have a child ended before its time."""

MOST_DESCRIPTORS = 4
_LENGTH = struct.Struct("!I")


def send_request(control: socket.socket, request: Mapping[str, Any], descriptors: Sequence[int]) -> None:
    """Hand over what to start and the descriptors of its streams. Raises `OSError`."""
    text = json.dumps(request).encode()
    socket.send_fds(control, [_LENGTH.pack(len(text))], descriptors)
    control.sendall(text)


def receive_request(control: socket.socket) -> tuple[Any, list[int]] | None:
    """The next request and its descriptors; None when the harness is gone or has no more."""
    try:
        head, descriptors, _, _ = socket.recv_fds(control, _LENGTH.size, MOST_DESCRIPTORS)
        head += _received(control, _LENGTH.size - len(head)) if head else b""
        text = _received(control, _LENGTH.unpack(head)[0]) if len(head) == _LENGTH.size else b""
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)
        return json.loads(text), descriptors
    except (OSError, ValueError):
        return None


def tell(control: socket.socket, what: Mapping[str, Any]) -> None:
    """Say how it ended, if anybody listens still."""
    with contextlib.suppress(OSError):
        control.sendall(json.dumps(what).encode() + b"\n")


def _received(control: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size and (part := control.recv(size - len(parts))):
        parts += part
    return bytes(parts)
