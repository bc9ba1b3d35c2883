#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""Records are deleted with both a condition and explicit numbers: which ones go?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    from tinydb import TinyDB, where
    from tinydb.storages import MemoryStorage

    assert sys.modules["tinydb"].__file__.startswith(root), "another copy was imported"

    def rest(**choice) -> list[int]:
        db = TinyDB(storage=MemoryStorage)
        db.insert_multiple([{"k": 1}, {"k": 1}, {"k": 1}, {"k": 2}])
        db.remove(**choice)
        return sorted(document.doc_id for document in db)

    assert rest(cond=where("k") == 1) == [4]
    assert rest(doc_ids=[2]) == [1, 3, 4]
    left = rest(cond=where("k") == 1, doc_ids=[2])
    assert left in ([1, 3, 4], [4]), left
    return left == [4]  # records 1 and 3 were not named


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
