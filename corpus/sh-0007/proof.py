#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""The transfer breaks off: does the run end as a failure, and is the release still missing afterwards?

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
"""


def outcome(root: str, fetch: str) -> tuple[str, bool, bool]:
    """Output, whether node is unpacked, and whether its folder counts as incomplete.

    The download program is a stand-in: a question for the header succeeds, a transfer runs the shell text `fetch`.
    """
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, "source", "node-v12", "bin", "node"), "#!/bin/sh\nexit 0\n")
        with tarfile.open(os.path.join(folder, "n.tgz"), "w:gz") as archive:
            archive.add(os.path.join(folder, "source", "node-v12"), "node-v12")
        write(os.path.join(folder, "stub", "curl"), CURL + fetch + "\n")
        done = run(["bash", os.path.join(root, "package", "bin", "n"), "--download", "--arch", "x64", "12.22.0"],
                   cwd=folder, env={"PATH": os.path.join(folder, "stub") + ":" + os.environ["PATH"], "HOME": folder,
                                    "ARCHIVE": os.path.join(folder, "n.tgz"), "N_PREFIX": os.path.join(folder, "n"),
                                    "N_USE_XZ": "0", "TERM": "dumb",
                                    "N_NODE_MIRROR": "https://mirror.invalid/dist"})
        kept = os.path.join(folder, "n", "n", "versions", "node", "12.22.0")
        assert os.path.isdir(kept), done.stdout
        return (done.stdout, os.path.exists(os.path.join(kept, "bin", "node")),
                os.path.exists(os.path.join(kept, "n.lock")))


def bug_present(root: str) -> bool:
    text, unpacked, incomplete = outcome(root, 'cat "$ARCHIVE"')
    assert unpacked and not incomplete and "failed" not in text, text
    text, unpacked, incomplete = outcome(root, "exit 22")
    assert not unpacked, text
    return not incomplete and "failed to download" not in text


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
