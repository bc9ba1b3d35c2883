"""Calls of git in a scratch repository of our own, where nothing of what it reads can make it run anything.

The repository is bare and made without templates; it has no remote, no hooks and no working tree, so no filter,
attribute or submodule is ever acted upon. Only `fetch` talks to others, and only it reads the user's settings.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_reviewbench.contain.environment import git_environment, search_path
from pytest_reviewbench.contain.process import Children, Completed
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.corpus.sources.registry import redacted
from pytest_reviewbench.errors import SourceError

QUIET = tuple(
    word
    for setting in (
        "core.hooksPath=/dev/null", "core.fsmonitor=false", "fetch.recurseSubmodules=false", "gc.auto=0",
        "maintenance.auto=false", "fetch.writeCommitGraph=false", "transfer.bundleURI=false", "core.pager=cat",
        "core.quotePath=false",
    )
    for word in ("-c", setting)
)  # fmt: skip
"""Stronger than any file of settings."""

PROTOCOLS = "file:git:http:https:ssh"
"""Everything else (`ext::`, helpers) runs programs that a URL names, also through a redirection."""

LOCAL_SECONDS = 300.0
LOCAL = {
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1", "LC_ALL": "C",
    "GIT_NO_REPLACE_OBJECTS": "1", "GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1", "TZ": "UTC",
    "GIT_LITERAL_PATHSPECS": "1",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Git:
    """The scratch repository in `folder`, which whoever made the folder removes."""

    program: str
    folder: Path
    children: Children

    def fetch(
        self, url: str, wanted: Sequence[str], *, depth: int | None, timeout: float, environ: Mapping[str, str]
    ) -> Completed:
        """Bring `wanted` (full commit ids, or refspecs) of `url` here; without `depth` with their whole history."""
        env = git_environment(environ)
        env |= {"LC_ALL": "C", "GIT_ALLOW_PROTOCOL": PROTOCOLS, "GIT_NO_LAZY_FETCH": "1"}
        words = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules"]
        words += [] if depth is None else [f"--depth={depth}"]
        argv = [self.program, *QUIET, f"--git-dir={self.folder}/repository", *words, "--", url, *wanted]
        return self.children.run(argv, cwd=self.folder / "empty", env=env, timeout=timeout, limit=1 << 20)

    def run(self, *words: str, stdin: bytes = b"", limit: int = 64 << 20) -> Completed:
        """`git WORDS` without network and without anybody's settings."""
        env = {**LOCAL, "PATH": search_path(), "HOME": str(self.folder / "empty")}
        argv = [self.program, *QUIET, "--no-pager", f"--git-dir={self.folder}/repository", *words]
        return self.children.run(
            argv, cwd=self.folder / "empty", env=env, timeout=LOCAL_SECONDS, stdin=stdin, limit=limit
        )

    def read(self, *words: str, stdin: bytes = b"", limit: int = 64 << 20) -> bytes:
        """What `git WORDS` prints. Raises `SourceError` when it fails, or prints more than `limit` bytes."""
        done = self.run(*words, stdin=stdin, limit=limit)
        if done.exit_code or done.timed_out:
            why = f"no end after {LOCAL_SECONDS:g} s" if done.timed_out else redacted(done.complaint())
            raise SourceError(f"git {words[0]} failed: {why or 'it gave no message'}")
        if done.stdout_total > len(done.stdout):
            raise SourceError(f"git {words[0]}: more than {limit:,} bytes")
        return done.stdout

    def parents(self, commit: str) -> list[str]:
        """The ids of a commit's parents. Raises `SourceError` when `commit` is none that is here."""
        head = self.read("cat-file", "commit", commit).partition(b"\n\n")[0]
        return [found.decode() for found in re.findall(rb"^parent ([0-9a-f]+)$", head, re.MULTILINE)]


def new_repository(folder: Path, children: Children, *, sha256: bool = False) -> Git:
    """An empty bare repository below the folder `folder`. Raises `SourceError` without git."""
    program = find_program("git")
    if program is None:
        raise SourceError("git is not installed, and code of git repositories needs it")
    git = Git(program, folder, children)
    (folder / "empty").mkdir()
    git.read(
        "init", "--quiet", "--bare", "--template=", f"--object-format={'sha256' if sha256 else 'sha1'}",
        str(folder / "repository"),
    )  # fmt: skip
    return git
