"""Which skill an arm gives its sessions: found, checked, and known by the sha256 of all its files."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import pytest_reviewbench.skills
from pytest_reviewbench.arms.protocol import Host
from pytest_reviewbench.contain.files import files_below, read_bounded
from pytest_reviewbench.errors import CorpusError, SettingsError

DEFAULT = "deep-code-review"
SHIPPED = Path(pytest_reviewbench.skills.__file__).parent / DEFAULT
MOST_FILES = 500
LIMIT = 1 << 20
NAME = re.compile(r"\A---\r?\n(?:.*\r?\n)*?name:[ \t]*['\"]?([A-Za-z0-9][A-Za-z0-9_-]{0,63})['\"]?[ \t]*\r?\n")


@dataclass(frozen=True, slots=True)
class Skill:
    """A folder with SKILL.md. `name` stands in its head, `origin` says where it was found, for people."""

    path: Path
    name: str
    origin: str
    sha256: str


def find_skill(asked: str | None, host: Host) -> Skill:
    """The arm's own (`asked`, relative to the project), else the session's, the project's, or the one that ships.

    Raises `SettingsError` for a folder that is no skill.
    """
    project = host.here / ".claude" / "skills" / DEFAULT
    if asked is not None:
        return _read(host.root / Path(asked).expanduser(), f"skill = {asked!r}")
    if host.skill is not None:
        return _read(host.skill, "--reviewbench-skill")
    if project.is_dir():
        return _read(project, "this project's")
    return _read(SHIPPED, "shipped")


def _read(path: Path, origin: str) -> Skill:
    path = path.resolve()
    try:
        names = list(files_below(path))
        if "SKILL.md" not in names:
            raise SettingsError(f"{origin}: {path} is no skill: it has no SKILL.md")
        if len(names) > MOST_FILES:
            raise SettingsError(f"{origin}: {path} has over {MOST_FILES} files; a skill is a few pages of text")
        digest = hashlib.sha256()
        for name in names:
            data = read_bounded(path / name, LIMIT)
            digest.update(f"{name}\0{len(data)}\0".encode() + data)
        head = NAME.match(read_bounded(path / "SKILL.md", LIMIT).decode("utf-8", "replace"))
    except CorpusError as e:  # what the reading of untrusted files says
        raise SettingsError(f"{origin}: {str(e).replace('; a corpus holds its files itself', '')}") from None
    if head is None:
        raise SettingsError(f"{origin}: {path}/SKILL.md: its head names no skill (---, name: ..., ---)")
    return Skill(path, head[1], origin, digest.hexdigest())
