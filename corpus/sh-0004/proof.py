#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A hook ends with status 3, without (b1) and with (b2) a clean-up action of its own: what is told about it?

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


def outcome(root: str, hook: str) -> subprocess.CompletedProcess:
    with open(os.path.join(root, "package", "husky"), encoding="utf-8") as stream:
        runner = stream.read()
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, ".husky", "_", "h"), runner)
        write(os.path.join(folder, ".husky", "_", "pre-commit"), '. "${0%/*}/h"\n')
        write(os.path.join(folder, ".husky", "pre-commit"), hook)
        return run(["sh", ".husky/_/pre-commit"], cwd=folder,
                   env={"PATH": os.environ["PATH"], "HOME": folder})


def bug_present(root: str) -> bool:
    fine = outcome(root, "echo hook ran\n")
    assert "hook ran" in fine.stdout and fine.returncode == 0, fine.stdout
    present = []
    failed = outcome(root, "exit 3\n")
    assert "script failed (code 3)" in failed.stdout and failed.returncode != 0, failed.stdout
    if failed.returncode != 3:
        present.append("b1")
    cleaned = outcome(root, "trap 'echo cleaned' EXIT\nexit 3\n")
    assert "cleaned" in cleaned.stdout and cleaned.returncode != 0, cleaned.stdout
    if "script failed" not in cleaned.stdout:
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
