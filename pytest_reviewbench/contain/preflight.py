"""Is there a sandbox on this machine? Tried, not guessed: what the kernel allows shows only when it is asked."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pytest_reviewbench.contain.environment import search_path
from pytest_reviewbench.contain.process import Children, Completed
from pytest_reviewbench.contain.sandbox import Sandbox, View
from pytest_reviewbench.errors import ReviewFailed, SettingsError, one_line

Mode = Literal["auto", "bwrap", "none"]

SECONDS = 20.0
ROOT = Path("/")
DOCS = "docs/security.md"

_APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_CLONE = Path("/proc/sys/kernel/unprivileged_userns_clone")
_MOST = Path("/proc/sys/user/max_user_namespaces")


def open_sandbox(children: Children, mode: Mode, *, strict: bool, hidden: Sequence[Path]) -> Sandbox:
    """Give `children` the sandbox for `mode`, tried out, and return it.

    Without one `auto` gives a sandbox of name `none` with its reason; `bwrap`, and `auto` when `strict`, raise
    `SettingsError`.
    """
    if mode == "none":
        if strict:
            raise SettingsError(
                "--reviewbench-strict forbids what --reviewbench-sandbox=none asks for; leave one of them out"
            )
        children.sandbox = Sandbox.none("--reviewbench-sandbox=none")
        _run_harmless(children, None)
        return children.sandbox
    children.sandbox = probe(children, hidden)
    if children.sandbox.program is None and (strict or mode == "bwrap"):
        asked = "--reviewbench-sandbox=bwrap" if mode == "bwrap" else "--reviewbench-strict"
        raise SettingsError(f"{asked}: {children.sandbox.reason}")
    return children.sandbox


def probe(children: Children, hidden: Sequence[Path] = ()) -> Sandbox:
    """Run the real options with a program that does nothing. `reason` says why they do not work and what to do."""
    if sys.platform != "linux":
        return Sandbox.none(f"bubblewrap is for Linux, this is {sys.platform}; reviewers run uncontained here")
    program = shutil.which("bwrap", path=search_path())
    if program is None:
        return Sandbox.none("bwrap is not installed; install bubblewrap (apt, dnf, pacman, apk: all have it)")
    version = _version(children, program)
    tried = Sandbox(f"bwrap {version}", program, hidden=tuple(path.resolve() for path in hidden))
    before, children.sandbox = children.sandbox, tried
    try:
        done = _run_harmless(children, View())
        said = "it did not end" if done.timed_out else done.tail() if done.exit_code else None
    except ReviewFailed as e:
        said = str(e)
    finally:
        children.sandbox = before
    if said is None:
        return tried
    return Sandbox.none(f"{tried.name} does not work here: {one_line(said)}; {_advice(said)}")


def _run_harmless(children: Children, view: View | None) -> Completed:
    harmless = shutil.which("true") or "/bin/true"
    return children.run([harmless], cwd=ROOT, env={}, timeout=SECONDS, view=view)


def _version(children: Children, program: str) -> str:
    try:
        said = children.run([program, "--version"], cwd=ROOT, env={}, timeout=SECONDS).stdout
    except ReviewFailed:
        return "unknown"
    found = re.search(rb"\d+(\.\d+)+", said)
    return found[0].decode() if found else "unknown"


def _advice(said: str) -> str:
    """What to do about the error of bwrap."""
    if "nknown option" in said:
        return "install bubblewrap 0.8 or newer"
    if _read(_APPARMOR) == "1" and re.search("uid map|RTM_NEWADDR|ermission denied|not permitted", said):
        return (
            "AppArmor keeps programs from user namespaces: "
            f"sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or a profile for bwrap ({DOCS})"
        )
    if _read(_CLONE) == "0":
        return "user namespaces are switched off: sudo sysctl -w kernel.unprivileged_userns_clone=1"
    if _read(_MOST) == "0" or "max_" in said or "No space" in said:
        return "no more user namespaces are allowed: sudo sysctl -w user.max_user_namespaces=10000"
    if "mount proc" in said:
        return f"in a container: start it with --security-opt systempaths=unconfined ({DOCS})"
    if re.search("namespace|not permitted|ermission", said):
        return (
            "in a container: start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
            f"({DOCS}); elsewhere the kernel must allow user namespaces"
        )
    return f"see {DOCS}"


def _read(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except OSError:
        return None
