"""A program asked for its version: where it cannot hang, spend, or write to the user's home."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.sandbox import View
from pytest_reviewbench.errors import ReviewFailed
from pytest_reviewbench.machine.check import Found

OUTPUT_LIMIT = 1 << 16


def ask_version(
    children: Children,
    program: str,
    *,
    environment: Callable[[Path], Mapping[str, str]],
    seconds: float,
    install: str,
    contained: bool,
) -> Found:
    """`program --version` in an empty private folder that is its HOME: `environment(home)`.

    `contained`: in the sandbox of `children`, as a reviewer, without network. `install` is the command that
    brings the program.
    """
    runs = (program,)
    with tempfile.TemporaryDirectory(prefix="ws") as folder:
        home = Path(folder).resolve()
        try:
            done = children.run(
                [program, "--version"],
                cwd=home,
                env=environment(home),
                timeout=seconds,
                limit=OUTPUT_LIMIT,
                view=View(writable=(home,)) if contained else None,
            )
        except ReviewFailed as e:
            return Found("broken", runs=runs, detail=str(e), advice=f"install it again: {install}")
    if done.timed_out:
        why = f"--version did not end within {seconds:g} s"
    elif done.exit_code:
        said = done.tail()
        why = f"--version ended with exit code {done.exit_code}{': ' if said else ''}{said}"
    elif version := re.search(rb"\d+\.\d+[\w.+-]*", done.stdout):
        return Found("usable", version[0].decode("utf-8", "replace"), runs)
    else:
        return Found(
            "limited", runs=runs, detail="--version ended well and named no version",
            advice=f"see whether it is the program that was meant, else install that: {install}",
        )  # fmt: skip
    return Found("broken", runs=runs, detail=why, advice=f"install it again: {install}")
