"""Seals and unseals the test cases of a corpus folder, so that an end in the middle loses nothing."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_reviewbench import codec
from pytest_reviewbench.contain.files import read_bounded
from pytest_reviewbench.corpus.case_files import LIMIT
from pytest_reviewbench.corpus.index import KNOWN_FILES, read_index
from pytest_reviewbench.corpus.layout import INDEX, META, RECIPIENT, SEALED, TRUTH
from pytest_reviewbench.corpus.seal import SECRET, is_sealed, open_case, public_half, sealed_bytes
from pytest_reviewbench.corpus.seal_key import Key, Seal
from pytest_reviewbench.corpus.split import SECRET_KEYS
from pytest_reviewbench.errors import CorpusError, FormatError

TEMPORARY = re.compile(r"\..+\.[0-9a-f]{8}")
"""Names under which files are written before they are there."""

SEAL_PUB = "# What reviewbench corpus seal encrypts for. The private half of this key opens it.\n{}\n"


@dataclass(frozen=True, slots=True)
class Done:
    """What became of the cases: `written` were sealed or unsealed now, `same` were so already."""

    written: tuple[str, ...]
    same: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def seal_corpus(folder: Path, key: Key, ids: Collection[str] = (), *, dry: bool = False) -> Done:
    """Seal the test cases of `folder` (or those of `ids`) for `key`; `dry`: only say which are not.

    What is unchanged keeps its `sealed.age`, byte for byte. Raises `CorpusError`, for a key that is not the one of
    the corpus as well.
    """
    place = folder / RECIPIENT
    entries = _entries(folder, ids)
    if not os.path.lexists(place) and not dry:
        _replace(place, SEAL_PUB.format(key.public).encode())
    seal = Seal(key.public, key)
    written: list[str] = []
    same: list[str] = []
    warnings: list[str] = []
    for entry in entries:
        case_id = entry["id"]
        torn = _remains(folder / case_id)
        if not dry:
            _remove(torn)
        changed = bool(dry and torn) | _seal_case(f"{folder}/{case_id}", case_id, seal, dry=dry)
        (written if changed else same).append(case_id)
        warnings += _left_out(folder / case_id)
        for name in sorted(SECRET_KEYS & entry.keys()):
            warnings.append(f"{folder / INDEX}: {case_id}: {name} points at the answer, and an index is not sealed")
    return Done(tuple(written), tuple(same), tuple(warnings))


def unseal_corpus(folder: Path, seal: Seal, ids: Collection[str] = ()) -> Done:
    """Put the files of sealed cases back in plain; `sealed.age` stays, so that sealing again changes no byte.

    Raises `Locked` without a key, and `CorpusError`.
    """
    written: list[str] = []
    same: list[str] = []
    for entry in _entries(folder, ids):
        case_id = entry["id"]
        home = f"{folder}/{case_id}"
        _remove(_remains(Path(home)))
        if not is_sealed(home):
            same.append(case_id)
            continue
        files = open_case(home, case_id, seal)
        for name, data in sorted(files.items(), key=lambda file: file[0] == TRUTH):  # once it is there, it counts
            path = Path(home, name)
            if name != META:
                _check_same(path, data)
            _replace(path, data)
        written.append(case_id)
    return Done(tuple(written), tuple(same))


def lying_open(folder: Path, ids: Collection[str] = ()) -> Done:
    """Which test cases are not sealed, as far as that can be seen without a key. Raises `CorpusError`."""
    written: list[str] = []
    same: list[str] = []
    for entry in _entries(folder, ids):
        home = folder / entry["id"]
        plain = [name for name in SECRET if name != META and os.path.lexists(home / name)]
        (written if plain or not is_sealed(str(home)) or _remains(home) else same).append(entry["id"])
    return Done(tuple(written), tuple(same))


def _remains(home: Path) -> list[Path]:
    """What an end in the middle of `_replace` left: parts of a case in plain."""
    return sorted(path for path in home.glob(".*") if TEMPORARY.fullmatch(path.name))


def _remove(paths: list[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _seal_case(home: str, case_id: str, seal: Seal, *, dry: bool) -> bool:
    """Was there anything to do? The plain files go only when what is encrypted has been opened again."""
    if plain := not is_sealed(home):
        files = {n: read_bounded(f"{home}/{n}", LIMIT) for n in SECRET if os.path.lexists(f"{home}/{n}")}
        _check_plain(home, files)
    else:
        files = open_case(home, case_id, seal)
    left = [name for name in files if name not in (TRUTH, META) and os.path.lexists(f"{home}/{name}")]
    half = public_half(files, f"{home}/{META}")
    if not plain and not left and read_bounded(f"{home}/{META}", LIMIT) == half:
        return False
    if dry:
        return True
    if plain:
        _encrypt(home, case_id, files, seal)
        Path(home, TRUTH).unlink()  # from here on it counts as sealed, and an end in the middle loses nothing
    for name in left:
        _check_same(Path(home, name), files[name])
        Path(home, name).unlink()
    _replace(Path(home, META), half)
    return True


def _encrypt(home: str, case_id: str, files: dict[str, bytes], seal: Seal) -> None:
    """`sealed.age` for `files`, left as it is where it holds them already, and opened before it is believed."""
    assert seal.recipient is not None
    if _opened(home, case_id, seal) != files:
        _replace(Path(home, SEALED), sealed_bytes(case_id, files, seal.recipient))
        if _opened(home, case_id, seal) != files:
            raise CorpusError(f"{home}/{SEALED}: does not hold what was sealed; nothing was removed")


def _check_same(path: Path, data: bytes) -> None:
    if os.path.lexists(path) and read_bounded(path, LIMIT) != data:
        raise CorpusError(f"{path}: stands there already and differs from what is sealed; move it away")


def _opened(home: str, case_id: str, seal: Seal) -> dict[str, bytes] | None:
    """What is encrypted there now; None where it is nothing that this key opens."""
    try:
        return open_case(home, case_id, seal) if os.path.lexists(f"{home}/{SEALED}") else None
    except CorpusError:
        return None


def _check_plain(home: str, files: dict[str, bytes]) -> None:
    for name in (TRUTH, META):
        if name not in files:
            raise CorpusError(f"{home}/{name}: missing; every case has {TRUTH} and {META}")
    try:
        meta = codec.parse(files[META], f"{home}/{META}")
    except FormatError as e:
        raise CorpusError(str(e)) from None
    if isinstance(meta, dict) and "sealed" in meta:
        raise CorpusError(f"{home}/{META}: is the half that stays readable; move {TRUTH} away and unseal first")


def _entries(folder: Path, ids: Collection[str]) -> list[dict[str, Any]]:
    """The entries of the test cases that are there, or of `ids`, sorted."""
    entries = {entry["id"]: entry for entry in read_index(folder)}
    for wanted in ids:
        if wanted not in entries or not (folder / wanted).is_dir():
            raise CorpusError(f"{folder}: has no case {wanted[:80]!r}")
        if entries[wanted]["split"] != "test":
            raise CorpusError(f"{folder / wanted}: is a train case; those are there to be read")
    there = ids or [name for name, e in entries.items() if e["split"] == "test" and (folder / name).is_dir()]
    return [entries[name] for name in sorted(there)]


def _left_out(home: Path) -> Iterator[str]:
    with os.scandir(home) as found:
        for name in sorted(entry.name for entry in found):
            if name not in KNOWN_FILES and not name.startswith("."):
                yield f"{home / name}: is no file of a case and stays as it is"


def _replace(path: Path, data: bytes) -> None:
    """All or nothing, and never through a link."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with open(temporary, "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
