#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""Every version probe has failed: does the client end with a Kafka error, or with a TypeError?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import logging
    import socket

    from kafka.conn import BrokerConnection
    from kafka.errors import KafkaError

    logging.disable(logging.CRITICAL)
    conn = BrokerConnection("broker.invalid", 9092, socket.AF_INET, api_version=None)
    assert conn._api_versions_future is None and conn.config["api_version"] is None
    conn._check_version_idx = len(conn.VERSION_CHECKS)  # every probe was tried without success
    try:
        answer = conn._try_api_versions_check()
    except TypeError as exc:
        assert "BaseException" in str(exc), exc
        return True
    except KafkaError:
        return False
    assert answer is False, answer
    return False


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
