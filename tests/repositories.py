"""Small git repositories of our own."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

SETTINGS = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false")


class Repository:
    """A repository in `folder`, which is made; `how` are words for `git init`."""

    def __init__(self, folder: Path, *how: str) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main", "--template=", *how)
        self._minutes = 0

    @property
    def url(self) -> str:
        return self.folder.as_uri()

    def git(self, *words: str) -> str:
        date = f"2025-11-03T10:{getattr(self, '_minutes', 0):02}:00+00:00"
        env = {
            "PATH": "/usr/bin:/bin:/usr/local/bin", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date,
        }  # fmt: skip
        argv = ["git", *SETTINGS, *words]
        return subprocess.run(
            argv, cwd=self.folder, env=env, check=True, capture_output=True, text=True
        ).stdout.strip()

    def commit(self, files: Mapping[str, bytes | None], message: str = "a change") -> str:
        """Write (None: remove) `files` and commit them, one minute later than the last; the id of the commit."""
        for path, data in files.items():
            place = self.folder / path
            if data is None:
                place.unlink()
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
        self._minutes += 1
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", f"--message={message}")
        return self.git("rev-parse", "HEAD")
