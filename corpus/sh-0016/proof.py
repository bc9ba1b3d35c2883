#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A title with a slash while outputs are gathered (b1), a test with its own date while times are measured (b2).

Needs bash 4 or newer.

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import re
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


def outcome(root: str, text: str) -> tuple[subprocess.CompletedProcess, list[str]]:
    """The run, and the names of the files it gathered."""
    with tempfile.TemporaryDirectory() as folder:
        test = os.path.join(folder, "t.bats")
        write(test, text)
        gathered = os.path.join(folder, "gathered")
        done = run(["bash", os.path.join(root, "package", "bin", "bats"), "--tap", "--timing",
                    "--gather-test-outputs-in", gathered, test], cwd=folder)
        names = sorted(os.listdir(gathered))
    assert "1..1" in done.stdout, done.stdout
    return done, names


def bug_present(root: str) -> bool:
    test = '@test "%s" {\n  %s\n}\n'
    plain = re.compile(r"\nok 1 .{1,20} in [0-9]{1,6}ms\n")
    done, names = outcome(root, test % ("read write", "true"))
    assert plain.search(done.stdout) and names == ["1-read write.log"] and done.returncode == 0, done.stdout
    present = []
    done, names = outcome(root, test % ("read/write", "true"))
    assert "ok 1 read/write" in done.stdout and len(names) < 2, done.stdout
    if not names:
        present.append("b1")
    done, names = outcome(root, test % ("own", "date() { echo 1000000000000000000; }"))
    assert "ok 1 own in " in done.stdout, done.stdout
    if not plain.search(done.stdout):
        present.append("b2")
    print("present: " + (" ".join(present) or "none"))
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
