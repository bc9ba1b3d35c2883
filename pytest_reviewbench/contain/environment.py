"""What of this process's environment a child gets: an allow-list, never a copy.

A copy would hand a reviewer PYTEST_CURRENT_TEST (the case id) and every secret of the CI job.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

PLAIN = ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
NETWORK = (
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
)  # fmt: skip
REGISTRY = ("HOME", "USER", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "NETRC", "NODE_OPTIONS")
REGISTRY_PREFIXES = ("PIP_", "npm_config_", "NPM_CONFIG_", "NPM_TOKEN", "NODE_AUTH_TOKEN")
GIT = (
    "SSH_AUTH_SOCK", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_ASKPASS", "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT",
)  # fmt: skip
GIT_PREFIXES = ("GIT_SSL_", "GIT_PROXY_SSL_", "GIT_HTTP_", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")


def search_path(environ: Mapping[str, str] = os.environ) -> str:
    """PATH with this interpreter's own script folder first: `.venv/bin/pytest` needs no activated venv."""
    own = str(Path(sys.executable).parent)
    return os.pathsep.join([own, environ.get("PATH", os.defpath)])


def reviewer_environment(home: Path, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """For a program that reads hostile text: a PATH, a locale, and `home` as HOME."""
    env = {name: environ[name] for name in PLAIN if name in environ}
    return env | {"PATH": search_path(environ), "HOME": str(home)}


def registry_environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """For pip and npm: what their users configure them by (index, proxy, certificates, tokens, home)."""
    names = {*PLAIN, *NETWORK, *REGISTRY} & environ.keys()
    names |= {name for name in environ if name.startswith(REGISTRY_PREFIXES)}
    return {name: environ[name] for name in sorted(names)} | {"PATH": search_path(environ)}


def git_environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """For git when it talks to others: its users' proxy, certificates, keys and credential helpers; no questions.

    Nothing that names a repository (GIT_DIR of a running hook) and no display, so that no window asks either.
    """
    names = {name for name in environ if name in GIT or name.startswith(GIT_PREFIXES)}
    asks = {"GIT_TERMINAL_PROMPT": "0", "GCM_INTERACTIVE": "never"}
    return registry_environment(environ) | {name: environ[name] for name in sorted(names)} | asks
