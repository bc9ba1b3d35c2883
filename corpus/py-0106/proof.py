#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""Same keys, different values: does either copy of the multi-value dict call the two equal?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    from boltons.dictutils import OrderedMultiDict
    from boltons.urlutils import QueryParamDict

    wrong = []
    for bug, cls in (("b1", OrderedMultiDict), ("b2", QueryParamDict)):
        one = cls([("k", "v")])
        assert one == {"k": "v"} and not (one == {"other": "v"}) and not (one == 5)
        if one == {"k": "something else"}:
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
