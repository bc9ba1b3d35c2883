#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""Error answers to a transaction: unknown classes (b1), a misspelt name (b2), a broken log line (b3)?

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

    import kafka.errors as errors
    from kafka.producer import transaction_manager as tm

    part = tm.TopicPartition("secret", 0)
    denied, denied_group = errors.TopicAuthorizationFailedError, errors.GroupAuthorizationFailedError
    offsets = {part: tm.OffsetAndMetadata(1, "", -1)} if hasattr(tm, "OffsetAndMetadata") else {}

    def manager():
        return tm.TransactionManager(transactional_id="tx", api_version=(2, 0))

    def refused(handler, answer) -> list:
        """The errors that the handler passes on; an AttributeError when it gets stuck before."""
        seen = []
        handler.abortable_error = seen.append
        try:
            handler.handle_response(answer)
        except AttributeError as exc:
            return [exc]
        return seen

    def results(error):
        return types.SimpleNamespace(results=[("secret", [(0, error.errno)])])

    done = refused(tm.AddPartitionsToTxnHandler(manager(), [part]), results(errors.OperationNotAttemptedError))
    assert [type(error) for error in done] == [errors.KafkaError], done
    present = []

    topic = refused(tm.AddPartitionsToTxnHandler(manager(), [part]), results(denied))
    group = refused(tm.AddOffsetsToTxnHandler(manager(), "readers", offsets),
                    types.SimpleNamespace(error_code=denied_group.errno))
    kinds = [type(error) for error in topic + group]
    if AttributeError in kinds:
        present.append("b1")
    else:
        assert kinds == [denied, denied_group], kinds

    moved = manager()
    looked, queued = [], []
    moved._lookup_coordinator = lambda kind, key: looked.append((kind, key))
    moved._enqueue_request = queued.append
    stuck = refused(tm.AddPartitionsToTxnHandler(moved, [part]), results(errors.NotCoordinatorError))
    if stuck:
        assert isinstance(stuck[0], AttributeError), stuck
        present.append("b2")
    else:
        assert looked == [("transaction", "tx")] and len(queued) == 1, (looked, queued)

    class Keeper(logging.Handler):
        def __init__(self):
            super().__init__()
            self.records = []

        def emit(self, record):
            self.records.append(record)

    keeper = Keeper()
    log = logging.getLogger(tm.__name__)
    log.setLevel(logging.DEBUG)
    log.propagate = False
    log.addHandler(keeper)
    aborting = manager()
    aborting._current_state = tm.TransactionState.ABORTING_TRANSACTION
    aborting.transition_to_abortable_error(errors.KafkaError("reason"))
    assert len(keeper.records) == 1, keeper.records
    try:
        assert "reason" in keeper.records[0].getMessage()
    except TypeError:  # what the logging module would print in place of the line
        present.append("b3")
    print("present:", " ".join(present) or "none")
    return bool(present)


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
