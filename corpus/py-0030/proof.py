#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""The cache is emptied: does an old timer take a new entry (b1), does a running call still end (b2)?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


async def timers() -> bool:
    import asyncio

    from async_lru import alru_cache

    loop = asyncio.get_running_loop()
    now = [loop.time()]
    loop.time = lambda: now[0]  # the loop's clock stands still until it is moved

    async def moved(seconds: float) -> None:
        now[0] += seconds
        for _ in range(5):
            await asyncio.sleep(0)

    @alru_cache(ttl=10)
    async def work(x):
        return x

    await work(1)
    await moved(6)
    assert work.cache_info().currsize == 1
    work.cache_clear()
    assert work.cache_info().currsize == 0
    await work(1)
    await moved(6)  # 12 s after the first entry, 6 s after the second
    early = work.cache_info().currsize
    await moved(6)
    assert work.cache_info().currsize == 0, "no entry expires"
    del loop.time
    return early == 0


async def running() -> bool:
    import asyncio

    from async_lru import alru_cache

    errors = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: errors.append(context.get("exception")))
    go = asyncio.Event()

    @alru_cache
    async def work(x):
        await go.wait()
        return x

    async def ended(call) -> bool:
        for _ in range(50):
            await asyncio.sleep(0)
        return call.done()

    first = asyncio.create_task(work(1))
    assert not await ended(first)
    work.cache_clear()
    go.set()
    if await ended(first):
        assert first.result() == 1 and not errors, errors
        return False
    assert [type(error) for error in errors] == [KeyError], errors
    first.cancel()
    second = asyncio.create_task(work(2))
    assert await ended(second) and second.result() == 2
    return True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import asyncio

    present = [bug for bug, check in (("b1", timers), ("b2", running)) if asyncio.run(check())]
    print("present:", " ".join(present) or "none")
    return bool(present)


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
