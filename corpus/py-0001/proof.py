#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A token whose issuer is only a part of the expected one: is it accepted?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import jwt

    key = "k" * 40
    good = jwt.encode({"iss": "https://login.example"}, key, algorithm="HS256")
    jwt.decode(good, key, algorithms=["HS256"], issuer="https://login.example")
    jwt.decode(good, key, algorithms=["HS256"], issuer=["https://login.example", "other"])
    strange = jwt.encode({"iss": "nobody"}, key, algorithm="HS256")
    try:
        jwt.decode(strange, key, algorithms=["HS256"], issuer="https://login.example")
    except jwt.InvalidIssuerError:
        pass
    else:
        raise AssertionError("an unrelated issuer is accepted")
    forged = jwt.encode({"iss": "login"}, key, algorithm="HS256")
    try:
        jwt.decode(forged, key, algorithms=["HS256"], issuer="https://login.example")
    except jwt.InvalidIssuerError:
        return False
    return True


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
