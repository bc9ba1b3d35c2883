#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""Two brokers are asked: does the answer of the first touch the partitions of the second?

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
    import types

    from kafka.consumer.fetcher import Fetcher
    from kafka.future import Future
    from kafka.structs import OffsetAndTimestamp, TopicPartition

    logging.disable(logging.CRITICAL)
    first, second = TopicPartition("a", 0), TopicPartition("b", 0)

    def asked(by_node):
        sent, failed, found = {}, [], []

        def send(node, wanted):
            sent[node] = Future()
            return sent[node]

        fetcher = types.SimpleNamespace(
            config={"request_timeout_ms": 1000, "retry_backoff_ms": 1},
            _client=types.SimpleNamespace(
                ready=lambda node: True, cluster=types.SimpleNamespace(request_update=lambda: None)),
            _subscriptions=types.SimpleNamespace(
                set_reset_pending=lambda partitions, when: None,
                reset_failed=lambda partitions, when: failed.append(set(partitions))),
            _cached_list_offsets_exception=None,
            _group_list_offset_requests=lambda wanted: by_node,
            _reset_offset_if_needed=lambda partition, timestamp, offset: found.append((partition, timestamp, offset)),
            _send_list_offsets_request=send)
        Fetcher._reset_offsets_async(fetcher, {first: -1, second: -2})
        assert sorted(sent) == sorted(by_node), sent
        return sent, failed, found

    one, both = {1: {first: (-1, 0)}}, {1: {first: (-1, 0)}, 2: {second: (-2, 0)}}
    answer = {first: OffsetAndTimestamp(7, -1, 0)}
    outcomes = []
    for by_node in (one, both):
        sent, failed, _ = asked(by_node)
        sent[1].failure(RuntimeError("node one is gone"))
        sent, _, found = asked(by_node)
        sent[1].success((answer, set()))
        outcomes.append((failed, found))
    assert outcomes[0] == ([{first}], [(first, -1, 7)]), outcomes  # with one broker all is well
    assert len(outcomes[1][0]) == 1, outcomes
    return outcomes[1] != outcomes[0]


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
