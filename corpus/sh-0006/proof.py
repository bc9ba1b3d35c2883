#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A command is run through a release that is not there yet: in which folder does it start?

Needs bash and tar.

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import subprocess
import sys
import tarfile
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


CURL = """#!/bin/bash
for word in "$@"; do
  [[ "$word" == --head || "$word" == -I ]] && exit 0
done
cat "$ARCHIVE"
"""


def bug_present(root: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        write(os.path.join(folder, "source", "node-v14", "bin", "node"), "#!/bin/sh\nexit 0\n")
        with tarfile.open(os.path.join(folder, "n.tgz"), "w:gz") as archive:
            archive.add(os.path.join(folder, "source", "node-v14"), "node-v14")
        write(os.path.join(folder, "stub", "curl"), CURL)
        work = os.path.join(folder, "work")
        os.mkdir(work)

        def start(*words: str) -> subprocess.CompletedProcess:
            return run(["bash", os.path.join(root, "package", "bin", "n"), "--download", "--arch", "x64", *words],
                       cwd=work, env={"PATH": os.path.join(folder, "stub") + ":" + os.environ["PATH"],
                                      "HOME": folder, "ARCHIVE": os.path.join(folder, "n.tgz"),
                                      "N_PREFIX": os.path.join(folder, "n"), "N_USE_XZ": "0", "TERM": "dumb",
                                      "N_NODE_MIRROR": "https://mirror.invalid/dist"})

        first = start("exec", "14.17.0", "pwd")
        fetched = start("14.17.0")
        assert fetched.returncode == 0, fetched.stdout
        later = start("exec", "14.17.0", "pwd")
    assert later.returncode == 0 and later.stdout.strip() == work, later.stdout
    if first.returncode != 0 and "not in downloads cache" in first.stdout:
        return False  # before downloads on demand nothing is started at all
    assert first.returncode == 0, first.stdout
    last = first.stdout.strip().splitlines()[-1]
    assert last.startswith(folder), first.stdout
    return last != work


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
