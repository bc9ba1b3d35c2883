"""The sandbox that reviewers would run in, tried once for all who ask, and the limits that hold here."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_reviewbench.contain.environment import search_path
from pytest_reviewbench.contain.preflight import ROOT, SECONDS, probe
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.sandbox import Sandbox
from pytest_reviewbench.machine.check import Found, State, Task


class Containment:
    """`children`, with the sandbox of this machine once `sandbox` was asked for."""

    def __init__(self, children: Children, hidden: Sequence[Path]) -> None:
        self.children = children
        self._hidden = hidden
        self._sandbox: Sandbox | None = None
        self._lock = threading.Lock()

    def sandbox(self) -> Sandbox:
        """What `probe` finds, which whoever comes first waits for. Without one `children` run uncontained."""
        with self._lock:
            if self._sandbox is None:
                self._sandbox = probe(self.children, self._hidden)
                self.children.sandbox = self._sandbox
            return self._sandbox


def tasks(containment: Containment, *, needed: bool) -> Iterator[Task]:
    """`needed`: the project's settings ask for a sandbox."""
    yield Task("sandbox", "bubblewrap", lambda: bubblewrap(containment.sandbox()), needed=needed)
    yield Task("sandbox", "limits", lambda: limits(containment.children))


def bubblewrap(found: Sandbox) -> Found:
    if found.program is not None:
        return Found("usable", found.name.removeprefix("bwrap "), (found.program,))
    program = shutil.which("bwrap", path=search_path())
    state: State = "missing" if program is None else "broken"
    runs = None if program is None else (program,)
    return Found(state, runs=runs, detail="reviewers run uncontained", advice=found.reason)


def limits(children: Children) -> Found:
    """Which bounds of a child the system keeps: a program that does nothing shows it."""
    harmless = shutil.which("true") or "/bin/true"
    children.run([harmless], cwd=ROOT, env={}, timeout=SECONDS)
    said = ", ".join(f"{name.replace('_', ' ')} {how}" for name, how in sorted(children.bounded.items()))
    loose = sorted(name for name, how in children.bounded.items() if how == "unbounded")
    if not loose:
        return Found("usable", detail=said)
    return Found(
        "limited", detail=said, advice=f"nothing bounds {', '.join(loose)} here; run reviewers that you trust"
    )
