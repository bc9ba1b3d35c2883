#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A test fails and the clean-up function then uses run: does the whole run still end as a failure?

Needs bash 4 or newer.

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import traceback


def write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.chmod(path, 0o755)


def run(command: list[str], **options) -> subprocess.CompletedProcess:
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", timeout=60, check=False, **options)


def outcome(root: str, teardown: str, body: str) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as folder:
        test = os.path.join(folder, "t.bats")
        write(test, "teardown_file() { %s; }\n@test \"one\" {\n  %s\n}\n" % (teardown, body))
        done = run(["bash", os.path.join(root, "package", "bin", "bats"), "--tap", test], cwd=folder)
    assert "1..1" in done.stdout, done.stdout
    return done


def bug_present(root: str) -> bool:
    passed = outcome(root, "run true", "true")
    assert "\nok 1" in passed.stdout and passed.returncode == 0, passed.stdout
    failed = outcome(root, "true", "false")
    assert "not ok 1" in failed.stdout and failed.returncode == 1, failed.stdout
    failed = outcome(root, "run true", "false")
    assert "not ok 1" in failed.stdout, failed.stdout
    return failed.returncode == 0


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
