"""Who may open a sealed corpus: the key of the user, and the one that comes with the package."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_reviewbench.contain.files import read_bounded
from pytest_reviewbench.corpus.layout import RECIPIENT
from pytest_reviewbench.errors import CorpusError, SettingsError
from pytest_reviewbench.shipped_corpus import KEY_FILE

if TYPE_CHECKING:
    from pyrage import x25519

VARIABLE = "REVIEWBENCH_SEAL_KEY"
"""Names the key of a private corpus: the key itself, or a file that holds it."""

KEY_LIMIT = 1 << 16

_SECRET_KEY = re.compile(r"^AGE-SECRET-KEY-1[0-9A-Z]+$", re.MULTILINE | re.IGNORECASE)
_PUBLIC_KEY = re.compile(r"^age1[0-9a-z]+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Key:
    """A private key with its public half."""

    identity: x25519.Identity = field(repr=False)

    @property
    def public(self) -> str:
        return str(self.identity.to_public())


@dataclass(frozen=True, slots=True)
class Seal:
    """How a corpus is sealed: for which public key (None: not at all), with what it is opened.

    Without `key` `lacking` says why there is none.
    """

    recipient: str | None = None
    key: Key | None = None
    lacking: str = ""


def read_seal(folder: Path, environ: Mapping[str, str] = os.environ, key_file: Path | None = None) -> Seal:
    """The seal of the corpus in `folder`, and the key that fits it.

    `key_file` comes before the environment; the shipped corpus needs neither. Raises `CorpusError` and
    `SettingsError`.
    """
    place = folder / RECIPIENT
    if not os.path.lexists(place):
        return Seal()
    found = _PUBLIC_KEY.findall(read_bounded(place, KEY_LIMIT).decode("utf-8", "replace"))
    if len(found) != 1:
        raise CorpusError(f"{place}: holds {len(found) or 'no'} public keys (age1...) instead of one")
    (recipient,) = found
    for key in (given_key(environ, key_file), _shipped_key()):
        if key is not None and key.public == recipient:
            return Seal(recipient, key)
    named = f"--key={key_file}" if key_file else VARIABLE
    if key_file or environ.get(VARIABLE):
        return Seal(recipient, lacking=f"{named} is another key than the one that {place} names")
    return Seal(recipient, lacking=f"{VARIABLE} is not set; it takes the key for {place}, or its file")


def given_key(environ: Mapping[str, str], key_file: Path | None = None) -> Key | None:
    """The key that the user gave; None when there is none. Raises `SettingsError` for one that is no key."""
    if key_file is not None:
        return _read_key(key_file, "--key")
    value = environ.get(VARIABLE, "").strip()
    if not value:
        return None
    return _parsed(value, VARIABLE) if _SECRET_KEY.match(value) else _read_key(Path(value).expanduser(), VARIABLE)


def all_keys(environ: Mapping[str, str], key_file: Path | None = None) -> list[Key]:
    """Every key there is: the given one and the shipped one."""
    return [key for key in (given_key(environ, key_file), _shipped_key()) if key is not None]


def new_key() -> tuple[str, str]:
    """A fresh private key and its public half, as text."""
    from pyrage import x25519

    identity = x25519.Identity.generate()
    return str(identity), str(identity.to_public())


def _shipped_key() -> Key | None:
    return _read_key(KEY_FILE, "the shipped key") if KEY_FILE.is_file() else None


def _read_key(path: Path, named: str) -> Key:
    """The only key in the file `path`. No message holds its content, or a value that may itself be a key."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")[:KEY_LIMIT]
    except OSError:
        raise SettingsError(f"{named}: neither a key (AGE-SECRET-KEY-1...) nor a file that can be read") from None
    if len(found := _SECRET_KEY.findall(text)) != 1:
        raise SettingsError(f"{named}: the file {path} holds {len(found) or 'no'} keys (AGE-SECRET-KEY-1...)")
    return _parsed(found[0], named)


def _parsed(text: str, named: str) -> Key:
    from pyrage import IdentityError, x25519

    try:
        return Key(x25519.Identity.from_str(text.strip()))
    except IdentityError:
        raise SettingsError(f"{named}: is not a key of age: mistyped, or cut") from None
