#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A dictionary key that holds angle brackets: does it become mark-up of its own?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import xmltodict

    assert "<a>1 &lt; 2</a>" in xmltodict.unparse({"a": "1 < 2"})  # values are escaped
    assert 'id="&lt;"' in xmltodict.unparse({"a": {"@id": "<"}})
    present = []
    for document in ({"top": {"x><added/><x": "1"}}, {"top": {"@x='1'><added/><y z": "1"}}):
        try:
            present.append("<added/>" in xmltodict.unparse(document))
        except ValueError:
            present.append(False)
    return any(present)


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
