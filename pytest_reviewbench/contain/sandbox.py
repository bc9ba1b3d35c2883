"""What of the machine a child sees: nothing but what it needs, where bubblewrap can see to it (Linux)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_reviewbench.contain.program_files import program_files

_OPTIONS_FROM = 3
"""The descriptor from which bwrap reads its options: its argv can be read inside as /proc/1/cmdline."""

TEMPORARY = 1 << 30
"""Bytes of the private /tmp, and of /dev/shm."""

KERNEL = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/mtrr", "/proc/acpi", "/proc/scsi")
"""Where root of the host may write through /proc, whatever user the sandbox calls it: sysctl asks no more."""

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/run/current-system")
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
NETWORK_FILES = (
    "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/services",
    "/etc/ssl", "/etc/pki", "/etc/ca-certificates",
)  # fmt: skip


SEEN = (*SYSTEM, "/etc", "/proc", "/dev", "/sys", "/run")


def shows_something(path: str) -> bool:
    """Whether a contained child could see anything at `path` that its view does not name."""
    return path == "/" or any(path == place or path.startswith(f"{place}/") for place in SEEN)


@dataclass(frozen=True, slots=True)
class View:
    """What a child may see beside the system and its own program, and whether it may use the network.

    Paths are the same inside and outside. `nested` lets it make user namespaces of its own.
    """

    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    network: bool = False
    nested: bool = False


@dataclass(frozen=True, slots=True)
class Sandbox:
    """`name` stands in records: `bwrap 0.8.0` or `none`; `program` is bwrap's path, None without a sandbox.

    `reason` says why there is none. `hidden` are folders that are covered even inside what a child may see, but
    for what it is shown of them: a project can lie in /usr/src, and its virtual environment in the project.
    `sealed` are those of which it is shown nothing, whoever names it: the corpus, the runs.
    """

    name: str
    program: str | None
    reason: str | None = None
    hidden: tuple[Path, ...] = ()
    sealed: tuple[Path, ...] = ()

    @staticmethod
    def none(reason: str | None = None) -> Sandbox:
        return Sandbox("none", None, reason)

    def command(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], view: View
    ) -> tuple[list[str], list[str]]:
        """The command that runs `argv` inside, and the options that it must read from descriptor 3."""
        assert self.program is not None
        own = [Path(path) for path in program_files(argv[0], env.get("PATH", os.defpath))]
        options = [*_namespaces(view), *_environment(env, view)]
        options += ["--proc", "/proc", "--dev", "/dev"]
        for folder in ("/tmp", "/dev/shm"):  # noqa: S108
            options += ["--size", str(TEMPORARY), "--tmpfs", folder]
        shown = [path for path in (*own, *view.readable) if not _inside(path, self.sealed)]
        options += _mounts(shown, view.writable, network=view.network, hidden=(*self.hidden, *self.sealed))
        if view.nested:  # whoever makes user namespaces must write the rest of /proc
            options += [word for path in KERNEL for word in ("--ro-bind-try", path, path)]
        else:
            options += ["--remount-ro", "/proc"]
        options += ["--remount-ro", "/", "--chdir", str(cwd)]
        return [self.program, "--args", str(_OPTIONS_FROM), "--", *argv], options


def _namespaces(view: View) -> Iterator[str]:
    yield from ("--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL")
    yield from ("--hostname", "localhost", "--die-with-parent", "--new-session")
    if view.network:
        yield "--share-net"
    if not view.nested:
        yield "--disable-userns"


def _environment(env: Mapping[str, str], view: View) -> Iterator[str]:
    """`env`. Its TMPDIR is that of the machine unless it lies in what the child may write."""
    own = env.get("TMPDIR", "")
    if not any(Path(own).is_relative_to(folder) for folder in view.writable):
        own = "/tmp"  # noqa: S108
    yield "--clearenv"
    for name, value in {**env, "TMPDIR": own}.items():
        yield from ("--setenv", name, value)


def _mounts(
    readable: Iterable[Path], writable: Iterable[Path], *, network: bool, hidden: Sequence[Path]
) -> Iterator[str]:
    """Mounts in the order of their depth, so that each lies upon what it is in."""
    system = [Path(path) for path in SYSTEM]
    files = [*SYSTEM_FILES, *(NETWORK_FILES if network else ())]
    mounts: list[tuple[int, int, tuple[str, ...]]] = []
    shown: list[Path] = []
    for path in system:
        if path.is_symlink() and len(path.parts) == 2:
            mounts.append((0, 0, ("--symlink", str(path.readlink()), str(path))))
            shown.append(path)
        elif path.exists():
            mounts.append((len(path.parts), 1, ("--ro-bind", str(path), str(path))))
            shown.append(path)
    mounts += [(len(Path(path).parts), 1, ("--ro-bind-try", path, path)) for path in files]
    for path in sorted(set(readable), key=lambda path: (len(path.parts), path)):
        if any(path.is_relative_to(root) and not _between(root, path, hidden) for root in shown):
            continue  # it is there already
        if path.is_symlink():
            mounts.append((len(path.parts), 1, ("--symlink", str(path.readlink()), str(path))))
        else:
            mounts.append((len(path.parts), 1, ("--ro-bind", str(path), str(path))))
            shown.append(path)
    for path in hidden:
        if any(path.is_relative_to(root) and path != root for root in shown) and path.is_dir():
            mounts.append((len(path.parts), 0, ("--tmpfs", str(path))))
    mounts += [(len(path.parts), 2, ("--bind", str(path), str(path))) for path in writable]
    for _, _, words in sorted(mounts):
        yield from words


def _inside(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _between(root: Path, path: Path, hidden: Iterable[Path]) -> bool:
    """Is something hidden that lies in `root` and holds `path`?"""
    return any(path.is_relative_to(folder) and folder.is_relative_to(root) and folder != root for folder in hidden)
