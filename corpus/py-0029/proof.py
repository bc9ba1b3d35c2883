#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""An address with a user-info part: whose stored log-in data does the look-up return?

Needs urllib3, idna, certifi and charset-normalizer.

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

    from requests.utils import get_netrc_auth

    with tempfile.TemporaryDirectory() as folder:
        stored = os.path.join(folder, "netrc")
        with open(stored, "w", encoding="ascii") as stream:
            stream.write("machine good.example login bob password hunter\n")
        os.chmod(stored, 0o600)
        os.environ["NETRC"] = stored
        assert get_netrc_auth("http://good.example/x") == ("bob", "hunter")
        assert get_netrc_auth("http://good.example:8080/x") == ("bob", "hunter")
        assert get_netrc_auth("http://evil.example/x") is None
        return get_netrc_auth("http://good.example:@evil.example/x") is not None


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
