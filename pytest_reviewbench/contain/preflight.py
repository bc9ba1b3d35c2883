"""Is there a sandbox on this machine? Tried, not guessed: what the kernel allows shows only when it is asked."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pytest_reviewbench.contain.environment import search_path
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.sandbox import Sandbox, View
from pytest_reviewbench.errors import ReviewFailed, SettingsError, one_line

Mode = Literal["auto", "bwrap", "none"]

SECONDS = 20.0
ROOT = Path("/")
DOCS = "docs/security.md"

_APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_CLONE = Path("/proc/sys/kernel/unprivileged_userns_clone")
_MOST = Path("/proc/sys/user/max_user_namespaces")


def open_sandbox(
    children: Children, mode: Mode, *, strict: bool, hidden: Sequence[Path], sealed: Sequence[Path] = ()
) -> Sandbox:
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
        children.run([shutil.which("true") or "/bin/true"], cwd=ROOT, env={}, timeout=SECONDS)
        return children.sandbox
    children.sandbox = probe(children, hidden, sealed)
    if children.sandbox.program is None and (strict or mode == "bwrap"):
        asked = "--reviewbench-sandbox=bwrap" if mode == "bwrap" else "--reviewbench-strict"
        raise SettingsError(f"{asked}: {children.sandbox.reason}")
    return children.sandbox


def probe(children: Children, hidden: Sequence[Path] = (), sealed: Sequence[Path] = ()) -> Sandbox:
    """Run the real options with a program that looks around. `reason` says why they do not work and what to do."""
    if sys.platform != "linux":
        return Sandbox.none(f"bubblewrap is for Linux, this is {sys.platform}; reviewers run uncontained here")
    program = shutil.which("bwrap", path=search_path())
    if program is None:
        return Sandbox.none("bwrap is not installed; install bubblewrap (apt, dnf, pacman, apk: all have it)")
    version = _version(children, program)
    tried = Sandbox(
        f"bwrap {version}",
        program,
        hidden=tuple(path.resolve() for path in hidden),
        sealed=tuple(path.resolve() for path in sealed),
    )
    before, children.sandbox = children.sandbox, tried
    try:
        said = _complaint(children)
    except ReviewFailed as e:
        said = str(e)
    finally:
        children.sandbox = before
    if said is None:
        return tried
    return Sandbox.none(f"{tried.name} does not work here: {one_line(said)}; {_advice(said)}")


def _complaint(children: Children) -> str | None:
    """What speaks against the sandbox; None: a program in it runs, as another user, and sees no file of ours."""
    with tempfile.NamedTemporaryFile(prefix="ws") as beside:
        look = f"test -e {shlex.quote(beside.name)} && exit 9; cat /proc/self/uid_map"
        done = children.run(["/bin/sh", "-c", look], cwd=ROOT, env={}, timeout=SECONDS, view=View())
    if done.timed_out:
        return "it did not end"
    if done.exit_code not in (0, 9):
        return done.tail() or f"exit code {done.exit_code} without a word"
    if done.exit_code == 9 or done.stdout.split()[:1] != [b"1000"]:
        return "it runs programs without containing them"
    return None


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
