"""What proofs need beside the tree: pinned packages in a place of their own, and programs of this machine."""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_reviewbench.contain.environment import registry_environment
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.corpus.sources.cache import Cache
from pytest_reviewbench.errors import ReviewbenchError

PACKAGE = re.compile(r"(@[a-z0-9][a-z0-9._-]*/)?[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.+!_-]*\Z")
PROGRAM = re.compile(r"([A-Za-z0-9][A-Za-z0-9._+-]*)(?: *>= *(\d+(?:\.\d+)*))?\Z")
VERSION = re.compile(r"\d+(?:\.\d+)+|\d+")
PIP = (sys.executable, "-m", "pip")
INSTALL = (
    "install", "--quiet", "--no-input", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-compile",
    "--disable-pip-version-check",
)  # fmt: skip
VERSION_SECONDS = 20.0
INSTALL_SECONDS = 600.0


class NotProvable(ReviewbenchError):
    """A proof cannot be run on this machine; `str()` says what is missing."""


@dataclass(frozen=True, slots=True)
class Needs:
    """`packages` as `name==version`, `programs` with their least version (empty: any)."""

    packages: tuple[str, ...]
    programs: tuple[tuple[str, str], ...]


def read_needs(words: Sequence[str]) -> Needs:
    """What `proof_needs` of a case asks for. Raises `NotProvable` for a word that says neither."""
    packages, programs = [], []
    for word in words:
        if PACKAGE.match(word):
            packages.append(word)
        elif found := PROGRAM.match(word):
            programs.append((found[1], found[2] or ""))
        else:
            raise NotProvable(f"needs {word[:80]!r}, which is neither name==version nor a program")
    return Needs(tuple(sorted(packages)), tuple(programs))


def check_programs(needs: Needs, children: Children, home: Path) -> None:
    """Raises `NotProvable` for the first program that is not here, or older than what is needed."""
    for name, least in needs.programs:
        path = find_program(name)
        if path is None:
            raise NotProvable(f"needs the program {name}")
        if least and not _new_enough(path, least, children, home):
            raise NotProvable(f"needs {name} {least} or newer")


def _new_enough(path: str, least: str, children: Children, home: Path) -> bool:
    done = children.run([path, "--version"], cwd=home, env={"HOME": str(home)}, timeout=VERSION_SECONDS)
    found = VERSION.search(done.stdout.decode("utf-8", "replace"))
    return found is not None and _parts(found[0]) >= _parts(least)


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def python_with(
    needs: Needs, cache: Cache, children: Children, *, offline: bool, environ: Mapping[str, str]
) -> tuple[Path, Path]:
    """(interpreter, its folder): a virtual environment with nothing but the packages, made once and kept.

    Raises `NotProvable` when they cannot be had.
    """
    kind = f"python-{sys.version_info[0]}.{sys.version_info[1]}"
    folder = _place(cache, kind, needs)
    if not folder.is_dir():
        with cache.locked(wait=INSTALL_SECONDS):
            if not folder.is_dir():
                _make_python(needs, folder, cache, children, offline, environ)
    return folder / "bin" / "python", folder


def _make_python(
    needs: Needs, folder: Path, cache: Cache, children: Children, offline: bool, environ: Mapping[str, str]
) -> None:
    if offline and needs.packages:
        raise NotProvable(f"needs {', '.join(needs.packages)}, which are not in the cache")
    with cache.scratch() as work:
        env = registry_environment(environ)
        made = [[sys.executable, "-m", "venv", "--without-pip", str(work / "env")]]
        if needs.packages:
            made.append([*PIP, f"--python={work}/env/bin/python", *INSTALL, *needs.packages])
        _run_all(made, work, env, children, needs)
        _keep(work / "env", folder)


def packages_for_node(
    needs: Needs, cache: Cache, children: Children, *, offline: bool, environ: Mapping[str, str]
) -> Path | None:
    """A folder for NODE_PATH with the packages; None when none are needed. Raises `NotProvable`."""
    if not needs.packages:
        return None
    folder = _place(cache, "node", needs)
    if not folder.is_dir():
        npm = find_program("npm")
        if npm is None:
            raise NotProvable("needs npm for its packages")
        if offline:
            raise NotProvable(f"needs {', '.join(needs.packages)}, which are not in the cache")
        with cache.locked(wait=INSTALL_SECONDS), cache.scratch() as work:
            names = [package.replace("==", "@") for package in needs.packages]
            argv = [npm, "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save",
                    "--no-package-lock", "--global=false", "--update-notifier=false", f"--prefix={work}", "--",
                    *names]  # fmt: skip
            _run_all([argv], work, registry_environment(environ), children, needs)
            _keep(work / "node_modules", folder)
    return folder


def folder_name(kind: str, needs: Needs) -> str:
    """The name of the folder, in `needs/` of the cache, that holds what `needs` asks for."""
    key = hashlib.sha256("\n".join((kind, *needs.packages)).encode()).hexdigest()
    return f"{kind}-{key[:32]}"


def _place(cache: Cache, kind: str, needs: Needs) -> Path:
    return cache.root / "needs" / folder_name(kind, needs)


def _run_all(
    commands: Sequence[Sequence[str]], cwd: Path, env: Mapping[str, str], children: Children, needs: Needs
) -> None:
    for argv in commands:
        done = children.run(list(argv), cwd=cwd, env=env, timeout=INSTALL_SECONDS)
        if done.exit_code or done.timed_out:
            what = f"needs {', '.join(needs.packages)}" if needs.packages else "needs a virtual environment"
            raise NotProvable(f"{what}, which cannot be installed here")


def _keep(made: Path, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    made.rename(folder)
