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
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pytest_reviewbench import codec
from pytest_reviewbench.contain.files import read_bounded
from pytest_reviewbench.corpus.layout import META, PROOFS, RECIPIENT, SEALED, TRUTH
from pytest_reviewbench.corpus.seal_key import Key, Seal
from pytest_reviewbench.errors import CorpusError, FormatError
from pytest_reviewbench.model import Record, Sha256

SECRET = (TRUTH, META, *PROOFS, "README.md")
"""The files of a case that are encrypted: all but the change that is shown."""

PUBLIC = ("lang", "kinds", "expensive", "licence", "upstream")
PUBLIC_OF_SOURCE = ("ecosystem", "package", "url", "buggy", "files")
"""What stays readable of `meta.json`: whose code it is, and nothing that says what is wrong with it."""

SEALED_LIMIT = 8 << 20
TEXT_MARK = "age:"
"""Before an encrypted text in a JSON record; base64 follows."""


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
