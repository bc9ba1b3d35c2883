"""Tarballs from an npm registry, through the user's own npm. Nothing is installed or executed."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pytest_reviewbench.contain.environment import registry_environment
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.corpus.sources import registry
from pytest_reviewbench.corpus.sources.registry import Artefact, Unreachable
from pytest_reviewbench.errors import SourceError

NOT_FOUND = frozenset({"E404", "ETARGET", "ENOVERSIONS"})
UNREACHABLE = re.compile(
    r"ECONN\w+|ENOTFOUND|EAI_\w+|E?TIMEDOUT|ETIMEOUT|\w*SOCKET_TIMEOUT|EHOSTUNREACH|ENETUNREACH|EPROTO"
    r"|E(?:401|403|407|429|5\d\d)|EAUTH\w*|UNABLE_TO_\w+|\w*CERT\w*|ERR_(?:SSL|TLS)_\w+|EPIPE"
)


def batches(artefacts: Iterable[Artefact]) -> list[list[Artefact]]:
    """One batch is one call of npm. 100 names stay far below any limit of a command line."""
    return registry.batches(artefacts, lambda a: delivered_name(a).lower(), 100)


def delivered_name(artefact: Artefact) -> str:
    """The file name that `npm pack` gives; the registry's own name of a scoped package lacks the scope."""
    return f"{artefact.package.removeprefix('@').replace('/', '-')}-{artefact.version}.tgz"


def download(
    batch: Sequence[Artefact], work: Path, children: Children, *, timeout: float, environ: Mapping[str, str]
) -> Path:
    """Download `batch` with one call, in the empty folder `work`; the folder that holds the files.

    npm knows no sha256: the caller must compare before anything is opened. Raises `SourceError`.
    """
    npm = find_program("npm")
    if npm is None:
        raise SourceError(
            f"{batch[0]}: npm is not installed, and {len(batch)} npm artefacts are needed; "
            "install it with: pip install 'pytest-reviewbench[tools]'"
        )
    for artefact in batch:
        if not artefact.filename.endswith(".tgz"):
            raise SourceError(f"{artefact}: only tarballs (.tgz) are taken from npm, not {artefact.filename}")
    into, empty = work / "in", work / "empty"
    # npm reads package.json and .npmrc of the working folder: it must be one in which nothing lies.
    for folder in (into, empty):
        folder.mkdir()
    # The default waits of npm between retries are minutes; a registry that is down should be told soon.
    env = {"npm_config_fetch_retry_mintimeout": "1000", "npm_config_fetch_retry_maxtimeout": "10000"}
    env |= registry_environment(environ)
    argv = [
        npm, "pack", "--json", "--silent", "--ignore-scripts", "--dry-run=false", "--workspaces=false",
        "--global=false", "--logs-max=0", "--update-notifier=false", f"--pack-destination={into}", "--",
        *(artefact.spec for artefact in batch),
    ]  # fmt: skip
    done = children.run(argv, cwd=empty, env=env, timeout=timeout, limit=8 << 20)
    if done.timed_out:
        raise Unreachable(batch[0], f"no end after {timeout:g} s")
    if done.exit_code:
        raise explained(batch, done.stdout.decode("utf-8", "replace"), done.tail(2000))
    return into


def explained(batch: Sequence[Artefact], out: str, tail: str) -> SourceError:
    """The one error that the client\'s output means, without anything private of it."""
    code = summary = detail = ""
    with contextlib.suppress(ValueError, TypeError, AttributeError):
        error = json.loads(out)["error"]
        code, summary, detail = (str(error.get(key) or "") for key in ("code", "summary", "detail"))
    artefact = registry.mentioned(f"{summary}\n{detail}", batch, "@") or batch[0]
    if code in NOT_FOUND:
        return registry.not_found(artefact)
    if UNREACHABLE.fullmatch(code):
        return Unreachable(artefact, code)
    last = tail.strip().splitlines()[-1:] or [""]
    return registry.failed(artefact, f"{code} {summary}".strip() or last[0])
