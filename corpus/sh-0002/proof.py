#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A program under test prints coloured text: can an XML reader still read the report?

Needs bash 4 or newer.

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import traceback
import xml.etree.ElementTree as ET


def write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.chmod(path, 0o755)


def run(command: list[str], **options) -> subprocess.CompletedProcess:
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", timeout=60, check=False, **options)


def outcome(root: str, text: str) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as folder:
        test = os.path.join(folder, "t.bats")
        write(test, text)
        done = run(["bash", os.path.join(root, "package", "bin", "bats"), "--formatter", "junit", test], cwd=folder)
    assert "<testsuite" in done.stdout, done.stdout
    return done


def readable(report: str) -> bool:
    try:
        return ET.fromstring(report.strip()).find(".//failure") is not None
    except ET.ParseError:
        return False


def bug_present(root: str) -> bool:
    test = '@test "noisy" {\n  printf "%s\\n"\n  false\n}\n'
    plain = outcome(root, test % "working <&>").stdout
    assert readable(plain) and "working &lt;&amp;&gt;" in plain, plain
    coloured = outcome(root, test % "\\033[31mworking\\033[0m").stdout
    assert "working" in coloured, coloured
    return not readable(coloured)


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
