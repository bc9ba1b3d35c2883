"""What machine and programs a run had: disclosed in every manifest, compared by nobody."""

from __future__ import annotations

import importlib.metadata
import os
import platform

PACKAGES = ("pytest", "pytest-reviewbench", "pytest-xdist", "msgspec", "unidiff")


def describe_environment() -> dict[str, str]:
    """Interpreter, system and package versions, by name."""
    found = {
        "cpus": str(os.cpu_count() or 0),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "system": platform.system(),
        "system_release": platform.release(),
    }
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "not installed"
    return dict(sorted(found.items()))
