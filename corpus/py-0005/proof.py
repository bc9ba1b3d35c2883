#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""Two arbitrary bytes stand where the line end after a chunk belongs: is the message accepted?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import h11

    assert h11.__file__.startswith(root), "another copy was imported"

    def outcome(*parts: bytes) -> tuple[bytes, bool]:
        """The body and whether the message came to its end."""
        connection = h11.Connection(h11.SERVER)
        connection.receive_data(b"POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n")
        assert isinstance(connection.next_event(), h11.Request)
        body = b""
        for part in parts:
            connection.receive_data(part)
            while True:
                event = connection.next_event()
                if isinstance(event, h11.Data):
                    body += bytes(event.data)
                elif isinstance(event, h11.EndOfMessage):
                    return body, True
                else:
                    assert event is h11.NEED_DATA, event
                    break
        return body, False

    assert outcome(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n") == (b"abcde", True)
    assert outcome(b"3\r\nabc\r", b"\n0\r\n\r\n") == (b"abc", True)
    assert outcome(b"3\r\nabc") == (b"abc", False)
    try:
        return outcome(b"3\r\nabcZZ0\r\n\r\n") == (b"abc", True)
    except h11.RemoteProtocolError:
        return False


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
