"""The command that gets the verdicts which a session left out."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from pytest_reviewbench.runs.folder import RunFolder
from pytest_reviewbench.settings import Settings

MOST = 8
"""Runs that are named; of more only that there are some."""


def verify_hint(runs: Sequence[RunFolder], settings: Settings, here: Path) -> str:
    """`reviewbench verify ...` for `runs`, to be called in the folder `here`: as this session would."""
    words = ["reviewbench", "verify"]
    words += [_shown(run.path, here) for run in runs] if len(runs) <= MOST else ["RUN..."]
    if not settings.shipped:
        words.append(f"--corpus={_shown(settings.corpus, here)}")
    words += [f"--verifier={verifier}" for verifier in settings.verifiers]
    if settings.agent_home != "private":
        words.append(f"--agent-home={settings.agent_home}")
    if not all(run.complete for run in runs):
        words.append("--partial")
    return shlex.join(words).replace("'RUN...'", "RUN...")


def _shown(path: Path, here: Path) -> str:
    """Relative where that is shorter."""
    return min(os.path.relpath(path, here), str(path), key=len)
