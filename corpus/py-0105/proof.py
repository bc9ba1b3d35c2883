#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A compression number that belongs to no codec: which error comes?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    from kafka.errors import UnsupportedCodecError
    from kafka.record.default_records import DefaultRecordBase

    base = DefaultRecordBase()
    base._assert_has_codec(base.CODEC_GZIP)  # a known codec passes
    try:
        base._assert_has_codec(7)  # all three codec bits set: assigned to no codec
    except UnboundLocalError:
        return True
    except UnsupportedCodecError:
        return False
    raise AssertionError("no error at all")


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
