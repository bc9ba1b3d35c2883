#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""Errors are collected one by one: does each new one copy all the earlier ones?

Needs packaging.

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import statistics
    import tracemalloc

    from marshmallow.error_store import ErrorStore

    assert sys.modules["marshmallow"].__file__.startswith(root), "another copy was imported"

    def room_for_one_more(count: int, place) -> float:
        """Bytes that storing one more error takes for a moment, `count` being there (no clock, so no noise)."""
        store = ErrorStore()
        for n in range(count):
            store.store_error(["bad"], **place(n))
        taken = []
        tracemalloc.start()
        for n in range(count, count + 9):  # a container that just grows shows once at most
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            store.store_error(["bad"], **place(n))
            taken.append(tracemalloc.get_traced_memory()[1] - before)
        tracemalloc.stop()
        return statistics.median(taken)

    store = ErrorStore()
    for n in range(3):
        store.store_error(["bad"], "f", index=n)
    store.store_error(["worse"], "f", index=1)
    assert store.errors == {0: {"f": ["bad"]}, 1: {"f": ["bad", "worse"]}, 2: {"f": ["bad"]}}, store.errors

    wrong = []
    places = {"per record": lambda n: {"field_name": "f", "index": n}, "one list": lambda n: {"field_name": "f"}}
    for name, place in places.items():
        few, many = room_for_one_more(100, place), room_for_one_more(4000, place)
        print("%s: %d bytes after 100 errors, %d after 4000" % (name, few, many))
        assert few > 0
        if many > few + 8 * 2000:
            wrong.append(name)
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
