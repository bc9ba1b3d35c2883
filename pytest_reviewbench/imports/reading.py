"""Files of others, read as what they are: untrusted text in bounds, with errors that name file and place."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_reviewbench import codec
from pytest_reviewbench.arm_spec import RESERVED
from pytest_reviewbench.contain.files import read_bounded
from pytest_reviewbench.errors import FormatError

FILE_LIMIT = 256 << 20


def read_bytes(path: Path) -> bytes:
    """The content of `path`. Raises `FormatError` when it is not there or cannot be read."""
    if not path.is_file():
        raise FormatError(f"{path}: no such file")
    try:
        return read_bounded(path, FILE_LIMIT)
    except OSError as e:
        raise FormatError(f"{path}: cannot be read: {e.strerror}") from None


def read_json(path: Path) -> tuple[Any, str]:
    """The JSON document in `path` and the sha256 of its bytes. Raises `FormatError`."""
    raw = read_bytes(path)
    return codec.parse(raw, str(path), mend_surrogates=True), hashlib.sha256(raw).hexdigest()


def expect_object(value: Any, where: str) -> Mapping[str, Any]:
    """`value`, which must be a JSON object. Raises `FormatError`."""
    if not isinstance(value, dict):
        raise FormatError(f"{where}: expected an object")
    return value


def expect_list(value: Any, where: str) -> list[Any]:
    """`value`, which must be a JSON list. Raises `FormatError`."""
    if not isinstance(value, list):
        raise FormatError(f"{where}: expected a list")
    return value


def expect_text(value: Any, where: str) -> str:
    """`value`, which must be a string that holds something. Raises `FormatError`."""
    if not isinstance(value, str) or not value.strip():
        raise FormatError(f"{where}: expected a text")
    return value


def as_id(name: str, where: str) -> str:
    """`name` as the id of an arm or a case: what may not stand in one becomes `-`. Raises `FormatError`."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("._-")[:64]
    if not plain or RESERVED.search(plain):
        raise FormatError(f"{where}: {name[:80]!r} cannot be made a name of letters, digits, '.', '_' and '-'")
    return plain


def as_word(name: object) -> str:
    """`name` as a word of ours (a language): lower case, what may not stand in one left out; else `unknown`."""
    return (re.sub(r"[^a-z0-9_-]", "", name.lower())[:40] if isinstance(name, str) else "") or "unknown"
