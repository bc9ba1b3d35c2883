#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""The personal settings file turns all hooks off: do they run nevertheless?

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


def outcome(root: str, hook: str, settings: str = "", **variables: str) -> subprocess.CompletedProcess:
    with open(os.path.join(root, "package", "husky"), encoding="utf-8") as stream:
        runner = stream.read()
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, ".husky", "_", "h"), runner)
        write(os.path.join(folder, ".husky", "_", "pre-commit"), '. "${0%/*}/h"\n')
        write(os.path.join(folder, ".husky", "pre-commit"), hook)
        if settings:
            write(os.path.join(folder, ".config", "husky", "init.sh"), settings)
        return run(["sh", ".husky/_/pre-commit"], cwd=folder,
                   env={"PATH": os.environ["PATH"], "HOME": folder, **variables})


def bug_present(root: str) -> bool:
    hook = 'echo "hook ran $MARK"\n'
    assert "hook ran" in outcome(root, hook).stdout
    assert "hook ran" not in outcome(root, hook, HUSKY="0").stdout
    read = outcome(root, hook, "export MARK=seen\n").stdout
    assert "hook ran seen" in read, read
    off = outcome(root, hook, "export MARK=seen\nexport HUSKY=0\n")
    assert off.returncode == 0, off.stdout
    return "hook ran seen" in off.stdout


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
