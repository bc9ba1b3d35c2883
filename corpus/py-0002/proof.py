#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A folder beside the published one, whose name only starts the same: can its files be reached?

Needs anyio.

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import tempfile

    from starlette.staticfiles import StaticFiles

    assert sys.modules["starlette"].__file__.startswith(root), "another copy was imported"

    with tempfile.TemporaryDirectory() as folder:
        for name in ("pub/ok.txt", "pub_private/key.txt", "elsewhere/key.txt"):
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path))
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(name)
        app = StaticFiles(directory=os.path.join(folder, "pub"))

        def reached(path: str) -> bool:
            return app.lookup_path(os.path.join(*path.split("/")))[1] is not None

        assert reached("ok.txt") and not reached("missing.txt")
        assert not reached("../elsewhere/key.txt")  # an unrelated neighbour is refused
        return reached("../pub_private/key.txt")


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
