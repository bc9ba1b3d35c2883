"""Trees of git repositories, by commit, through the user's own git. Nothing of git is kept, nothing is executed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.corpus.sources import registry
from pytest_reviewbench.corpus.sources.git_calls import Git, new_repository
from pytest_reviewbench.corpus.sources.git_tree import export
from pytest_reviewbench.corpus.sources.registry import Artefact, Unreachable
from pytest_reviewbench.errors import SourceError

UNREACHABLE = re.compile(
    r"Could not resolve host\S*|Failed to connect|Connection (?:refused|reset|timed out|closed)|timed out"
    r"|Could not read from remote repository|Authentication failed|terminal prompts disabled"
    r"|could not read Username"
    r"|Permission denied|SSL certificate problem|The requested URL returned error: (?:401|403|407|429|5\d\d)"
    r"|unable to look up|Proxy CONNECT aborted|RPC failed|early EOF",
)
NOT_THERE = re.compile(
    r"not our ref|couldn't find remote ref|unadvertised object|does not appear to be a git repository"
    r"|[Rr]epository .*not found|returned error: 404|no such remote ref"
)
PER_CALL = 50


def batches(artefacts: Iterable[Artefact]) -> list[list[Artefact]]:
    """One batch is one fetch from one repository."""
    found = []
    # Commits of two kinds of ids cannot lie in one repository.
    by_url = itertools.groupby(sorted(artefacts), lambda artefact: (artefact.package, len(artefact.version)))
    for _, group in by_url:
        wanted = list(group)
        found += [wanted[n : n + PER_CALL] for n in range(0, len(wanted), PER_CALL)]
    return found


def delivered_name(artefact: Artefact) -> str:
    """The file name under which `download` leaves the artefact."""
    return artefact.filename


def download(
    batch: Sequence[Artefact], work: Path, children: Children, *, timeout: float, environ: Mapping[str, str]
) -> Path:
    """Fetch `batch`, commits of one repository, with one call; the folder that holds their trees as archives.

    git itself checks that what it gets has the ids that were asked for. Raises `SourceError`.
    """
    into = work / "in"
    into.mkdir()
    git = fetched(batch, work, children, depth=1, timeout=timeout, environ=environ)
    for artefact in batch:
        export_commit(git, artefact, into / artefact.filename)
    return into


def fetched(
    batch: Sequence[Artefact],
    work: Path,
    children: Children,
    *,
    depth: int,
    timeout: float,
    environ: Mapping[str, str],
) -> Git:
    """A scratch repository below `work` with the commits of `batch`. Raises `SourceError`."""
    commits = sorted({artefact.version for artefact in batch})
    git = new_repository(work, children, sha256=len(commits[0]) == 64)
    done = git.fetch(batch[0].package, commits, depth=depth, timeout=timeout, environ=environ)
    if done.timed_out:
        raise Unreachable(batch[0], f"no end after {timeout:g} s")
    if done.exit_code:
        raise explained(batch, done.stderr.decode("utf-8", "replace"))
    return git


def export_commit(git: Git, artefact: Artefact, file: Path) -> None:
    """`export`, with errors that name the artefact."""
    try:
        if git.read("cat-file", "-t", artefact.version).strip() != b"commit":
            raise SourceError(f"{artefact.version} is no commit")
        export(git, artefact.version, file)
    except SourceError as e:
        raise SourceError(f"{artefact}: {e}") from None


def explained(batch: Sequence[Artefact], said: str) -> SourceError:
    """The one error that git's words mean, without anything private of them."""
    artefact = next((artefact for artefact in batch if artefact.version in said), batch[0])
    if NOT_THERE.search(said):
        return SourceError(
            f"{artefact}: the repository is not there, or has no such commit; check the URL, and that the commit "
            "is on a branch that the server still has"
        )
    if reason := UNREACHABLE.search(said):
        return Unreachable(artefact, registry.redacted(reason[0]))
    words = [
        line for line in said.splitlines() if line.startswith(("fatal:", "error:"))
    ] or said.strip().splitlines()
    return registry.failed(artefact, words[0] if words else "")
