"""Versions and commits that somebody names -> pins, with their artefacts in the cache."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pytest_reviewbench import codec
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.corpus.sources import git, npm, pypi
from pytest_reviewbench.corpus.sources.cache import Cache, sha256_of
from pytest_reviewbench.corpus.sources.registry import Artefact
from pytest_reviewbench.curate.artefacts import CALL_SECONDS
from pytest_reviewbench.errors import FormatError, ReviewFailed, SourceError
from pytest_reviewbench.model import COMMIT_PATTERN, URL_PATTERN, PackageName, Pin

PURE = "a pure Python wheel (py3-none-any)"
UNKNOWN = "0" * 64


@dataclass(frozen=True, slots=True)
class Means:
    """With what artefacts are had. Whoever looks something up holds the lock of the cache."""

    cache: Cache
    children: Children
    environ: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Fix:
    """A commit that fixes something, its parent, and the day (ISO) on which it was made."""

    fixed: str
    buggy: str
    date: str


def repository_url(given: str, cwd: Path) -> str:
    """The URL of a repository given as a URL or as a folder. Raises `SourceError` when it is neither."""
    if re.match(URL_PATTERN, given):
        return given
    folder = cwd / given
    if "://" not in given and "::" not in given and folder.is_dir():
        return folder.resolve().as_uri()
    raise SourceError(
        f"{given[:200]!r} is neither a folder nor the URL of a repository: write https://, ssh:// or file:// in "
        "full, and no password (git's credential helpers know it)"
    )


def check_commit(given: str) -> str:
    """`given` when it is a full commit id. Raises `SourceError`."""
    if re.match(COMMIT_PATTERN, given):
        return given
    raise SourceError(f"{given[:80]!r} is no full commit id; git rev-parse {given[:12]!r} prints all its digits")


def look_up(ecosystem: str, origin: str, names: Sequence[str], means: Means) -> dict[str, Pin]:
    """The pins of the versions (commits) `names` of a package (repository). Raises `SourceError`."""
    if ecosystem != "git":
        try:
            codec.convert(origin, PackageName, "")
        except FormatError:
            raise SourceError(f"{origin[:80]!r} is not the name of a package") from None
        for name in names:
            if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+!_-]{0,79}", name):
                raise SourceError(f"{name[:80]!r} is not a version")
    finders = {"pypi": _from_pypi, "npm": _from_npm, "git": _from_git}
    try:
        return finders[ecosystem](origin, sorted(set(names)), means)
    except ReviewFailed as e:
        raise SourceError(f"{ecosystem} {origin}: {e}") from None


def fixes(url: str, commits: Sequence[str], means: Means) -> list[Fix]:
    """What is known of each of `commits` of the repository `url`. Raises `SourceError`."""
    wanted = [Artefact("git", url, commit, f"{commit}.tar", UNKNOWN) for commit in commits]
    with means.cache.scratch() as work:
        scratch = git.fetched(wanted, work, means.children, depth=2, timeout=CALL_SECONDS, environ=means.environ)
        found = []
        for commit in commits:
            parents = scratch.parents(commit)
            if not parents:
                raise SourceError(f"git {url}@{commit}: is the first commit; there is nothing before it")
            date = scratch.read("log", "-1", "--format=%cs", commit).decode("ascii", "replace").strip()
            found.append(Fix(commit, parents[0], date))
        return found


def _from_pypi(package: str, versions: Sequence[str], means: Means) -> dict[str, Pin]:
    found = {}
    for version in versions:
        with means.cache.scratch() as work:
            wanted = Artefact("pypi", package, version, PURE, UNKNOWN)
            file = pypi.download_unpinned(wanted, work, means.children, timeout=CALL_SECONDS, environ=means.environ)
            found[version] = _kept(file, Pin(version=version, filename=file.name, sha256=sha256_of(file)), means)
    return found


def _from_npm(package: str, versions: Sequence[str], means: Means) -> dict[str, Pin]:
    wanted = [Artefact("npm", package, version, f"{version}.tgz", UNKNOWN) for version in versions]
    found = {}
    with means.cache.scratch() as work:
        into = npm.download(wanted, work, means.children, timeout=CALL_SECONDS, environ=means.environ)
        for artefact in wanted:
            file = into / npm.delivered_name(artefact)
            pin = Pin(version=artefact.version, filename=file.name, sha256=sha256_of(file))
            found[artefact.version] = _kept(file, pin, means)
    return found


def _from_git(url: str, commits: Sequence[str], means: Means) -> dict[str, Pin]:
    wanted = [Artefact("git", url, commit, f"{commit}.tar", UNKNOWN) for commit in commits]
    found = {}
    with means.cache.scratch() as work:
        into = git.download(wanted, work, means.children, timeout=CALL_SECONDS, environ=means.environ)
        for commit in commits:
            file = into / f"{commit}.tar"
            found[commit] = _kept(file, Pin(commit=commit, sha256=sha256_of(file)), means)
    return found


def _kept(file: Path, pin: Pin, means: Means) -> Pin:
    # What a registry calls its files is checked like all that comes from outside.
    pin = codec.convert(msgspec.to_builtins(pin), Pin, f"{file.name[:80]!a}, as it was delivered")
    means.cache.keep_artefact(file, pin.sha256)
    return pin
