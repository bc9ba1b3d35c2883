#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A cut-off UDP answer while errors are skipped: does the caller learn that it was cut off?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import asyncio
    import inspect
    import socket
    import time

    import dns.asyncbackend
    import dns.asyncquery
    import dns.exception
    import dns.flags
    import dns.message
    import dns.query

    assert dns.query.__file__.startswith(root), "another copy was imported"

    query = dns.message.make_query("a.example.", "A")
    whole = dns.message.make_response(query)
    cut = dns.message.make_response(query)
    cut.flags |= dns.flags.TC
    skipping = {"ignore_errors": True, "query": query}
    if "ignore_errors" not in inspect.signature(dns.query.receive_udp).parameters:
        skipping = {}  # an older release knows no skipping

    class SyncSocket:
        family = socket.AF_INET

        def __init__(self, wire: bytes) -> None:
            self.wires = [wire]

        def recvfrom(self, size):
            if not self.wires:
                raise dns.exception.Timeout(timeout=1)
            return self.wires.pop(), ("127.0.0.1", 53)

    def sync_outcome(answer: dns.message.Message) -> str:
        try:
            dns.query.receive_udp(
                SyncSocket(answer.to_wire()), ("127.0.0.1", 53), time.time() + 60, raise_on_truncation=True, **skipping
            )
        except dns.message.Truncated:
            return "truncated"
        except dns.exception.Timeout:
            return "timeout"
        return "answer"

    class AsyncSocket(dns.asyncbackend.DatagramSocket):
        def __init__(self, wire: bytes) -> None:
            super().__init__(socket.AF_INET)
            self.wires = [wire]

        async def recvfrom(self, size, timeout):
            if not self.wires:
                raise dns.exception.Timeout(timeout=timeout)
            return self.wires.pop(), ("127.0.0.1", 53)

    def async_outcome(answer: dns.message.Message) -> str:
        receiving = dns.asyncquery.receive_udp(
            AsyncSocket(answer.to_wire()), ("127.0.0.1", 53), time.time() + 60, raise_on_truncation=True, **skipping
        )
        try:
            asyncio.run(receiving)
        except dns.message.Truncated:
            return "truncated"
        except dns.exception.Timeout:
            return "timeout"
        return "answer"

    wrong = []
    for bug, outcome in (("b1", sync_outcome), ("b2", async_outcome)):
        assert outcome(whole) == "answer"
        found = outcome(cut)
        assert found in ("truncated", "timeout"), found
        if found == "timeout":
            wrong.append(bug)
    print("present:", " ".join(wrong) or "none")
    return bool(wrong)


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
