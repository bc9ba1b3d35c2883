"""Cases put into a corpus folder: nothing overwritten, no split changed, one writer at a time."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_reviewbench.arm_spec import RESERVED
from pytest_reviewbench.corpus.index import read_index
from pytest_reviewbench.corpus.layout import INDEX
from pytest_reviewbench.corpus.split import later_split
from pytest_reviewbench.errors import CorpusError
from pytest_reviewbench.model import ID_PATTERN, Split

NEUTRAL = re.compile(r"[a-z]{1,8}-\d{1,9}\Z")
"""Ids that say nothing; others are replaced."""


@dataclass(slots=True)
class Growth:
    """The corpus in `folder`, locked. `entries` are those of its index, `taken` ids, folders and promised ones."""

    folder: Path
    entries: list[dict[str, Any]]
    taken: set[str] = field(default_factory=set)

    def claim(self, case_id: str) -> str:
        """Promise `case_id` to a new case. Raises `CorpusError` when it is no id, or another case has it."""
        if not re.match(ID_PATTERN, case_id) or RESERVED.search(case_id):
            raise CorpusError(
                f"{case_id[:80]!r} is not a case id: 1 to 64 letters, digits, '.', '_' or '-', without the endings "
                ".twin and .rN"
            )
        if case_id.lower() in self.taken:
            raise CorpusError(f"{self.folder}: has a case {case_id!r} already, and nothing is overwritten")
        self.taken.add(case_id.lower())
        return case_id

    def next_id(self, prefix: str) -> str:
        """Promise the next free neutral id, `py-0154`."""
        numbers = [int(found[1]) for name in self.taken if (found := re.match(rf"{prefix}-(\d{{1,9}})\Z", name))]
        return self.claim(f"{prefix}-{max(numbers, default=0) + 1:04}")

    def add(self, case_id: str, files: Mapping[str, bytes]) -> Split:
        """Write a case, then its entry, each at once or not at all; its side of the split."""
        entry = {"id": case_id, "split": later_split(case_id)}
        made = Path(tempfile.mkdtemp(prefix=".adding-", dir=self.folder))
        try:
            for path, data in files.items():
                place = made / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
            made.chmod(0o755)
            made.rename(self.folder / case_id)
        finally:
            shutil.rmtree(made, ignore_errors=True)
        in_order = self.entries == sorted(self.entries, key=_id_of)
        self.entries.append(entry)
        if in_order:
            self.entries.sort(key=_id_of)
        self._write_index()
        return later_split(case_id)

    def _write_index(self) -> None:
        lines = ",\n".join(f"  {json.dumps(entry, ensure_ascii=False)}" for entry in self.entries)
        descriptor, name = tempfile.mkstemp(prefix=".adding-", dir=self.folder)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(f"[\n{lines}\n]\n")
            os.fchmod(descriptor, 0o644)
        Path(name).replace(self.folder / INDEX)


@contextlib.contextmanager
def growing(folder: Path) -> Iterator[Growth]:
    """Hold the corpus in `folder`, made when it is not there. Raises `CorpusError` for a folder that is none."""
    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as e:
        raise CorpusError(f"{folder}: cannot be made or opened: {e.strerror}") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        names = [path.name for path in folder.iterdir()]
        if INDEX not in names and any(
            not name.startswith(".") and name not in ("README.md", "LICENSE") for name in names
        ):
            raise CorpusError(f"{folder}: has no {INDEX} and is not empty; name a corpus or a new folder")
        entries = read_index(folder) if INDEX in names else []
        yield Growth(folder, entries, {name.lower() for name in (*names, *map(_id_of, entries))})
    except OSError as e:
        raise CorpusError(f"{e.filename or folder}: cannot be written: {e.strerror}") from None
    finally:
        os.close(descriptor)
        if new:
            with contextlib.suppress(OSError):  # nothing was added
                folder.rmdir()


def _id_of(entry: Mapping[str, Any]) -> str:
    return str(entry["id"])
