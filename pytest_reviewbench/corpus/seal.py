"""Encryption at rest of what gives the answer of a case away (age, x25519).

A sealed case has `sealed.age` in place of its truth, proof and notes, and of its `meta.json` the half that anybody
may read. What is in `sealed.age` are those files as they were, byte for byte.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pytest_reviewbench import codec
from pytest_reviewbench.contain.files import read_bounded
from pytest_reviewbench.corpus.layout import META, PROOFS, RECIPIENT, SEALED, TRUTH
from pytest_reviewbench.errors import CorpusError, FormatError, SettingsError
from pytest_reviewbench.model import Record, Sha256
from pytest_reviewbench.shipped_corpus import KEY_FILE

if TYPE_CHECKING:
    from pyrage import x25519

VARIABLE = "REVIEWBENCH_SEAL_KEY"
"""Names the key of a private corpus: the key itself, or a file that holds it."""

SECRET = (TRUTH, META, *PROOFS, "README.md")
"""The files of a case that are encrypted: all but the change that is shown."""

PUBLIC = ("lang", "kinds", "expensive", "licence", "upstream")
PUBLIC_OF_SOURCE = ("ecosystem", "package", "url", "buggy", "files")
"""What stays readable of `meta.json`: whose code it is, and nothing that says what is wrong with it."""

SEALED_LIMIT = 8 << 20
KEY_LIMIT = 1 << 16
TEXT_MARK = "age:"
"""Before an encrypted text in a JSON record; base64 follows."""

_SECRET_KEY = re.compile(r"^AGE-SECRET-KEY-1[0-9A-Z]+$", re.MULTILINE | re.IGNORECASE)
_PUBLIC_KEY = re.compile(r"^age1[0-9a-z]+$", re.MULTILINE)


class Parcel(Record, frozen=True, kw_only=True):
    """What is in a `sealed.age`: the files of one case by name."""

    schema: Literal[1] = 1
    case: str
    files: Mapping[str, str]


class PublicHalf(Record, frozen=True, kw_only=True):
    """The `meta.json` of a sealed case, as far as it is read: the sha256 of every file that is sealed."""

    sealed: Mapping[str, Sha256]


class Locked(CorpusError):
    """A sealed case for which there is no key. `hashes` are those of its files, by name."""

    def __init__(self, message: str, hashes: Mapping[str, str]) -> None:
        super().__init__(message)
        self.hashes = hashes


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


def is_sealed(home: str) -> bool:
    """Is the case in folder `home` sealed? A truth in plain counts before what is encrypted beside it."""
    return os.path.lexists(f"{home}/{SEALED}") and not os.path.lexists(f"{home}/{TRUTH}")


def open_case(home: str, case_id: str, seal: Seal) -> dict[str, bytes]:
    """The encrypted files of the sealed case in `home`, by name. Raises `Locked` and `CorpusError`."""
    where = f"{home}/{SEALED}"
    if seal.recipient is None:
        raise CorpusError(f"{where}: no {RECIPIENT} beside the index says for which key it is sealed")
    if seal.key is None:
        raise Locked(f"{where}: is sealed, and {seal.lacking}", _public_hashes(home))
    try:
        plain = _decrypted(read_bounded(where, SEALED_LIMIT), [seal.key])
        if plain is None:
            raise CorpusError(f"{where}: cannot be opened; it is damaged, or for another key than {RECIPIENT}'s")
        parcel = codec.decode(plain, Parcel, where)
    except FormatError as e:
        raise CorpusError(str(e)) from None
    if parcel.case != case_id:
        raise CorpusError(f"{where}: holds the case {parcel.case[:80]!r}")
    if unknown := sorted(set(parcel.files) - set(SECRET)):
        raise CorpusError(f"{where}: holds {unknown[0][:80]!r}, which is no file of a case")
    if missing := sorted({TRUTH, META} - parcel.files.keys()):
        raise CorpusError(f"{where}: holds no {missing[0]}")
    return {name: text.encode() for name, text in parcel.files.items()}


def sealed_bytes(case_id: str, files: Mapping[str, bytes], recipient: str) -> bytes:
    """`sealed.age` for the files of a case. Raises `CorpusError` for one that is not UTF-8."""
    texts = {}
    for name, data in files.items():
        try:
            texts[name] = data.decode()
        except UnicodeDecodeError as e:
            raise CorpusError(f"{case_id}/{name}: not UTF-8 at byte {e.start}; store the file as UTF-8") from None
    return _encrypted(codec.encode(Parcel(case=case_id, files=texts)), recipient)


def public_half(files: Mapping[str, bytes], where: str) -> bytes:
    """The `meta.json` that stays readable beside `sealed.age`. Raises `CorpusError`."""
    try:
        meta = codec.parse(files[META], where)
    except FormatError as e:
        raise CorpusError(str(e)) from None
    meta = meta if isinstance(meta, dict) else {}
    kept: dict[str, Any] = {key: meta[key] for key in PUBLIC if key in meta}
    if isinstance(source := meta.get("source"), dict):
        kept["source"] = {key: source[key] for key in PUBLIC_OF_SOURCE if key in source}
    kept["sealed"] = {name: hashlib.sha256(files[name]).hexdigest() for name in sorted(files)}
    return json.dumps(kept, indent=2, ensure_ascii=False).encode() + b"\n"


def seal_text(text: str, recipient: str | None) -> str:
    """`text` encrypted for `recipient` (None: as it is), to stand in a record; done twice it is the same."""
    if recipient is None or not text or text.startswith(TEXT_MARK):
        return text
    return TEXT_MARK + base64.b64encode(_encrypted(text.encode("utf-8", "replace"), recipient)).decode()


def open_text(text: str, keys: Sequence[Key]) -> str | None:
    """What `seal_text` was given; None when none of `keys` opens it."""
    if not text.startswith(TEXT_MARK):
        return text
    try:
        plain = _decrypted(base64.b64decode(text.removeprefix(TEXT_MARK), validate=True), keys)
    except binascii.Error:
        return None
    return None if plain is None else plain.decode("utf-8", "replace")


def _public_hashes(home: str) -> Mapping[str, str]:
    where = f"{home}/{META}"
    try:
        return codec.decode(read_bounded(where, SEALED_LIMIT), PublicHalf, where).sealed
    except FormatError as e:
        raise CorpusError(str(e)) from None


def _encrypted(data: bytes, recipient: str) -> bytes:
    import pyrage

    try:
        return bytes(pyrage.encrypt(data, [pyrage.x25519.Recipient.from_str(recipient)]))
    except pyrage.RecipientError:
        raise CorpusError(f"{RECIPIENT}: {recipient[:80]!r} is no public key of age") from None


def _decrypted(data: bytes, keys: Sequence[Key]) -> bytes | None:
    import pyrage

    try:
        return bytes(pyrage.decrypt(data, [key.identity for key in keys]))
    except pyrage.DecryptError:
        return None


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
