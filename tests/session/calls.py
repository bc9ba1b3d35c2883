"""Calls of `reviewbench`: as a user makes them, and without the start of a process for each."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from pathlib import Path
from unittest import mock

from pytest_reviewbench.cli import main


def reviewbench(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """`reviewbench ARGS` in `folder`, in this process: its exit status and all that it printed."""
    out, err = io.StringIO(), io.StringIO()
    code: object = None
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "argv", ["reviewbench", *args]),
    ):
        try:
            main()
        except SystemExit as e:
            code = e.code
    assert code is None or isinstance(code, int), f"a line for stderr from sys.exit: {code}"
    return subprocess.CompletedProcess(args, code or 0, out.getvalue(), err.getvalue())


def reviewbench_apart(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own."""
    argv = [sys.executable, "-m", "pytest_reviewbench.cli", *args]
    return subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
