#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""One number of an object identifier goes on for thousands of octets: is there any end to it?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    from pyasn1.codec.ber import decoder
    from pyasn1.error import PyAsn1Error

    assert decoder.__file__.startswith(root), "another copy was imported"

    def decoded(tag: int, body: bytes) -> tuple:
        length = len(body).to_bytes(3, "big")
        value, rest = decoder.decode(bytes([tag, 0x83]) + length + body)
        assert not rest
        return tuple(value)

    wrong = []
    for name, tag, start in (("OBJECT IDENTIFIER", 6, (1, 2)), ("RELATIVE-OID", 13, (42,))):
        assert decoded(tag, b"\x2a\x86\x48") == (*start, 840)
        assert decoded(tag, b"\x2a" + b"\x83" + b"\xff" * 17 + b"\x7f") == (*start, 2**128 - 1)  # as for a UUID
        try:
            huge = decoded(tag, b"\x2a" + b"\xff" * 20_000 + b"\x7f")
        except PyAsn1Error:
            continue
        assert huge[-1].bit_length() == 7 * 20_001
        wrong.append(name)
    print("unlimited:", ", ".join(wrong) or "none")
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
