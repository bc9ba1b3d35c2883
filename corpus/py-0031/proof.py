#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A call fails (b1) or is cancelled (b2): what is left of it in the cache?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


async def after_failures() -> bool:
    import asyncio

    from async_lru import alru_cache

    @alru_cache(maxsize=None)
    async def work(x):
        if x < 0:
            raise ValueError(x)
        return x

    assert await work(1) == 1 and work.cache_info().currsize == 1
    for x in range(-20, 0):
        try:
            await work(x)
        except ValueError:
            pass
        else:
            raise AssertionError("no error comes through")
    await asyncio.sleep(0)
    left = work.cache_info().currsize
    assert left in (1, 21), left
    return left == 21


async def after_cancellation() -> bool:
    import asyncio

    from async_lru import alru_cache

    calls = []

    @alru_cache
    async def work(x):
        calls.append(x)
        if len(calls) == 1:
            raise asyncio.CancelledError
        return x

    try:
        await work(1)
    except asyncio.CancelledError:
        pass
    else:
        raise AssertionError("no cancellation comes through")
    await asyncio.sleep(0)
    try:
        assert await work(1) == 1 and len(calls) == 2
    except asyncio.CancelledError:
        assert len(calls) == 1  # nothing was called: the old cancellation came again
        return True
    return False


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import asyncio

    present = [bug for bug, check in (("b1", after_failures), ("b2", after_cancellation)) if asyncio.run(check())]
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
