"""What every agent gets of the machine: variables by name, its network, private folders, the skill it is given."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_reviewbench.contain.environment import NETWORK
from pytest_reviewbench.contain.sandbox import View
from pytest_reviewbench.errors import ReviewFailed
from pytest_reviewbench.sessions.protocol import Ask

CERTIFICATES = (
    "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
    "CODEX_CA_CERTIFICATE",
)  # fmt: skip
"""Variables that name files which an agent must be able to read."""


def passed_on(names: Sequence[str], environ: Mapping[str, str]) -> dict[str, str]:
    """The variables `names` and those of proxies and certificates, as far as they are set to something."""
    return {name: environ[name] for name in (*NETWORK, *names) if environ.get(name)}


def network_view(ask: Ask, given: Mapping[str, str], *, nested: bool = False) -> View:
    """`ask.view`, the network, and the files that the variables `given` name as certificates."""
    files = [Path(given[name]) for name in CERTIFICATES if name in given]
    there = tuple(path for path in files if path.is_absolute() and path.exists())
    view = ask.view
    return dataclasses.replace(view, readable=(*view.readable, *there), network=True, nested=nested)


def temporary_folder(ask: Ask) -> Path:
    """A private folder for temporary files in `ask.home`: programs of agents share names in /tmp."""
    folder = ask.home / "tmp"
    folder.mkdir(exist_ok=True)
    return folder


def skill_name(skill: Path) -> str:
    """The name of the folder `skill`, also where it is given as `.`."""
    return Path(os.path.abspath(skill)).name


def copy_of_skill(skill: Path, into: Path) -> Path:
    """A copy of the folder `skill` below `into`, links followed: an agent refuses to read through them.

    Raises `ReviewFailed` (kind `spawn`).
    """
    place = into / skill_name(skill)
    try:
        shutil.copytree(skill, place, dirs_exist_ok=True)
    except (OSError, shutil.Error) as e:
        raise ReviewFailed("spawn", f"the skill {skill} cannot be copied: {e}") from None
    if not (place / "SKILL.md").is_file():
        raise ReviewFailed("spawn", f"the skill {skill} has no SKILL.md")
    return place
