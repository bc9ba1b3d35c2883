#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A dispatcher with a hook for the early stage: can parameters still be prepared?

Needs typing-extensions for the buggy release.

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

    from graia.broadcast import Broadcast
    from graia.broadcast.entities.dispatcher import BaseDispatcher

    calls = []

    class Plain(BaseDispatcher):
        async def catch(self, interface):
            return None

    class Early(Plain):
        async def beforeExecution(self, interface, *rest):
            calls.append(rest)

    async def executed(dispatcher):
        async def target():
            return "done"

        broadcast = Broadcast(loop=asyncio.get_running_loop())
        return await broadcast.Executor(target, dispatchers=[dispatcher])

    async def prepared(dispatcher):
        broadcast = Broadcast(loop=asyncio.get_running_loop())
        if not hasattr(broadcast, "param_compile"):  # older than the method
            return None
        async with broadcast.param_compile([dispatcher]):
            return True

    assert asyncio.run(executed(Early())) == "done" and len(calls) == 1
    calls.clear()
    if asyncio.run(prepared(Plain())) is None:
        return False
    try:
        ended = asyncio.run(prepared(Early()))
    except NameError:  # UnboundLocalError is one
        assert not calls
        return True
    assert ended is True and len(calls) == 1, calls
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
