#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""The working copy lies in a folder whose name holds a space: is the local settings file still read?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import shutil
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


def outcome(root: str, name: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        hooks = os.path.join(folder, name, ".git", "hooks")
        os.makedirs(hooks)
        write(os.path.join(hooks, "pre-commit"), '. "$(dirname "$0")/husky.sh"\n')
        shutil.copy(os.path.join(root, "package", "sh", "husky.sh"), os.path.join(hooks, "husky.sh"))
        write(os.path.join(hooks, "husky.local.sh"), 'echo "local settings read"\n')
        return run(["sh", os.path.join(hooks, "pre-commit")], cwd=os.path.join(folder, name),
                   env={"PATH": os.environ["PATH"], "HOME": folder}).stdout


def bug_present(root: str) -> bool:
    assert "local settings read" in outcome(root, "plain")
    return "local settings read" not in outcome(root, "two words")


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
