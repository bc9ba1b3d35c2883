#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A message holds separators that end no line in an event stream: does it arrive in one piece?

Needs httpx.

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

    import httpx
    import httpx_sse

    assert httpx_sse.__file__.startswith(root), "another copy was imported"

    def answer(content: bytes) -> httpx.MockTransport:
        headers = {"content-type": "text/event-stream"}
        return httpx.MockTransport(lambda request: httpx.Response(200, headers=headers, content=content))

    def read(content: bytes) -> list[str]:
        with httpx.Client(transport=answer(content)) as client:
            with httpx_sse.connect_sse(client, "GET", "http://a.example/") as source:
                return [event.data for event in source.iter_sse()]

    async def aread(content: bytes) -> list[str]:
        async with httpx.AsyncClient(transport=answer(content)) as client:
            async with httpx_sse.aconnect_sse(client, "GET", "http://a.example/") as source:
                return [event.data async for event in source.aiter_sse()]

    broken = set()
    for reader in (read, lambda content: asyncio.run(aread(content))):
        assert reader(b"data: one\n\ndata: two\r\n\r\ndata: three\r\r") == ["one", "two", "three"]
        assert reader("data: na\u00efve \u6587\n\n".encode()) == ["na\u00efve \u6587"]
        for character in "\u2028\u2029\x85\x0b\x0c\x1e":
            payload = "left" + character + "right"
            if reader(("data: " + payload + "\n\n").encode()) != [payload]:
                broken.add("U+%04X" % ord(character))
    print("broken at:", " ".join(sorted(broken)) or "none")
    return bool(broken)


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
