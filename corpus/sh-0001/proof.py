#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A hook ends with status 127 under a plain POSIX shell: does the comparison break?

Needs dash.

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


def bug_present(root: str) -> bool:
    dash = shutil.which("dash")
    assert dash, "dash is not installed"
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(root, "package", "husky.sh"), os.path.join(folder, "husky.sh"))
        hook = os.path.join(folder, "pre-commit")
        write(hook, '. "%s/husky.sh"\nexit 127\n' % folder)
        programs = os.path.join(folder, "bin")
        os.mkdir(programs)
        os.symlink(dash, os.path.join(programs, "sh"))
        done = run([dash, hook], env={"PATH": programs + ":" + os.environ["PATH"], "HOME": folder})
    assert done.returncode == 127 and "exited with code 127" in done.stdout, done.stdout
    return "command not found in" not in done.stdout and "operator" in done.stdout


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
