"""Where the agent `llm` finds its model: a base URL, and the variable that holds its key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}\Z")


@dataclass(frozen=True, slots=True)
class Connection:
    """What was asked for. `base_url` None: the model's own service; `auth_env` None: see docs/agents.md."""

    base_url: str | None = None
    auth_env: str | None = None

    def before(self, other: Connection) -> Connection:
        """This one where it says something, else `other`; a base URL never gets the key that `other` names."""
        if self.base_url is not None:
            return self
        return Connection(other.base_url, self.auth_env or other.auth_env)


def read_base_url(text: str) -> str:
    """A URL that may stand in arguments and records. Raises `ValueError`, which repeats nothing of it."""
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or not text.isprintable() or " " in text:
        raise ValueError("expected a URL, as http://127.0.0.1:8080/v1")
    if "@" in parts.netloc or parts.query or parts.fragment or "?" in text:
        raise ValueError("a base URL holds no user, password or query; name the variable with the key by auth_env")
    return text.rstrip("/")


def read_variable(text: str) -> str:
    """The name of a variable. Raises `ValueError`, which does not repeat it: it may be the key itself."""
    if not NAME.match(text):
        raise ValueError("expected the name of the environment variable that holds the key, not the key")
    return text
