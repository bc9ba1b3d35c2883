"""Wheels from a Python package index, through the user's own pip. Nothing is installed or executed."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pytest_reviewbench.contain.environment import registry_environment
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.corpus.sources import registry
from pytest_reviewbench.corpus.sources.registry import Artefact, Unreachable
from pytest_reviewbench.errors import SourceError

NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")

# Settings that say *what* to fetch; the pins say that here. Index, proxy, certificates and time-outs stay.
NOT_OURS = frozenset({
    "PIP_ABI", "PIP_BUILD_CONSTRAINT", "PIP_CONSTRAINT", "PIP_DEST", "PIP_DRY_RUN", "PIP_IMPLEMENTATION",
    "PIP_NO_BINARY", "PIP_ONLY_BINARY", "PIP_PLATFORM", "PIP_PYTHON", "PIP_PYTHON_VERSION", "PIP_QUIET",
    "PIP_REQUIREMENT", "PIP_REQUIRE_VIRTUALENV", "PIP_VERBOSE",
})  # fmt: skip

UNREACHABLE = re.compile(
    r"after connection broken by|connection error:|Max retries exceeded|NewConnectionError|ProxyError"
    r"|SSLError|Timeout(?:Error)?\b|timed out|RemoteDisconnected|Temporary failure in name resolution"
    r"|(?:401|403|407|429|5\d\d) (?:Client|Server) Error|is not a trusted or secure host",
)


def batches(artefacts: Iterable[Artefact]) -> list[list[Artefact]]:
    """One batch is one call of pip, which takes one version of a package at a time."""
    return registry.batches(artefacts, lambda a: re.sub(r"[-_.]+", "-", a.package).lower(), 200)


def delivered_name(artefact: Artefact) -> str:
    """The file name under which `download` leaves the artefact."""
    return artefact.filename


def download(
    batch: Sequence[Artefact],
    work: Path,
    children: Children,
    *,
    timeout: float,
    environ: Mapping[str, str],
    python: str = sys.executable,
) -> Path:
    """Download `batch` with one call, in the empty folder `work`; the folder that holds the files.

    pip compares the hashes before it opens anything. Raises `SourceError`.
    """
    for artefact in batch:
        if not NAME.fullmatch(artefact.package) or not artefact.filename.endswith(".whl"):
            raise SourceError(f"{artefact}: only wheels (.whl) are taken from pypi, not {artefact.filename}")
    lines = [f"{a.package}=={a.version} --hash=sha256:{a.sha256}" for a in batch]
    return _run(python, batch, lines, ["--require-hashes"], work, children, timeout, environ)


def download_unpinned(
    artefact: Artefact, work: Path, children: Children, *, timeout: float, environ: Mapping[str, str]
) -> Path:
    """Download the pure wheel of a version whose file and hash are not known yet. Raises `SourceError`."""
    line = f"{artefact.package}=={artefact.version}"
    # What has wheels for one kind of machine only would be another case on another.
    pure = ["--platform=any", "--implementation=py", "--abi=none"]
    into = _run(sys.executable, [artefact], [line], pure, work, children, timeout, environ)
    return next(into.iterdir())


def _run(
    python: str,
    batch: Sequence[Artefact],
    lines: Sequence[str],
    options: Sequence[str],
    work: Path,
    children: Children,
    timeout: float,
    environ: Mapping[str, str],
) -> Path:
    into, log, empty = work / "in", work / "log", work / "empty"
    # `python -m` imports from the working folder: it must be one in which nothing lies.
    for folder in (into, empty):
        folder.mkdir()
    requirements = work / "requirements.txt"
    requirements.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    env = {k: v for k, v in registry_environment(environ).items() if k not in NOT_OURS}
    env = {"PIP_RETRIES": "2"} | env
    argv = [
        python, "-m", "pip", "download", "--quiet", "--no-input", "--no-deps", "--only-binary=:all:",
        *options, "--ignore-requires-python", "--no-cache-dir", "--disable-pip-version-check",
        f"--log={log}", f"--requirement={requirements}", f"--dest={into}",
    ]  # fmt: skip
    done = children.run(argv, cwd=empty, env=env, timeout=timeout, limit=1 << 20)
    if done.timed_out:
        raise Unreachable(batch[0], f"no end after {timeout:g} s")
    if done.exit_code:
        said = done.stderr.decode("utf-8", "replace")
        logged = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        raise explained(batch, said, logged)
    return into


def explained(batch: Sequence[Artefact], said: str, logged: str) -> SourceError:
    """The one error that the client\'s output means, without anything private of it."""
    errors = "\n".join(line for line in said.splitlines() if "WARNING:" not in line)
    artefact = registry.mentioned(errors, batch, "==") or batch[0]
    if "No module named pip" in said:
        return SourceError(f"{artefact}: pip is not installed beside this Python, and pypi needs it")
    if "DO NOT MATCH THE HASHES" in said:
        got = re.search(r"\bGot\s+([0-9a-fA-F]{64})\b", said)
        return registry.wrong_hash(artefact, got[1] if got else None)
    # The words of these failures stand in the log only: pip goes on with "no matching distribution".
    # A mirror that answers 404 for the name is an answer; a broken connection is not.
    if reason := UNREACHABLE.search(f"{said}\n{logged}"):
        return Unreachable(artefact, registry.redacted(reason[0].strip(" :")))
    if "No matching distribution" in said or "Could not find a version" in said:
        return registry.not_found(artefact)
    return registry.failed(artefact, errors.strip().splitlines()[-1] if errors.strip() else "")
