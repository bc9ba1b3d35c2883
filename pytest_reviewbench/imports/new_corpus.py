"""A corpus written from what another benchmark has."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_reviewbench import codec
from pytest_reviewbench.contain.files import files_below
from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.corpus.layout import CONTEXT, INDEX, META, PATCH, TRUTH
from pytest_reviewbench.corpus.loaded import Corpus
from pytest_reviewbench.curate.canary import CANARY
from pytest_reviewbench.errors import CorpusError
from pytest_reviewbench.model import Split
from pytest_reviewbench.scoring.matcher import Search

SPLIT: Split = "train"
"""What has been published can have been tuned on, and learnt by heart: it measures nobody as `test` would."""


@dataclass(frozen=True, slots=True)
class NewCase:
    """A case to be written. `truth` and `meta` are the files' objects; without a `patch` meta has `no_change`."""

    id: str
    meta: Mapping[str, Any]
    truth: Mapping[str, Any]
    patch: bytes | None = None
    context: Mapping[str, bytes] = field(default_factory=dict)


def write_corpus(folder: Path, cases: Sequence[NewCase], search: Search | None) -> Corpus:
    """The corpus of `cases` in `folder`, read back as every corpus is. One that is there already must be the same.

    Raises `CorpusError` when something else is there, and for cases that are no sound ones.
    """
    files = _files(cases)
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        if folder.is_dir() and _same(folder, files):
            return load_corpus(folder.absolute(), search)
        raise CorpusError(f"{folder}: is there already, with something else in it; name a folder that is not there")
    made = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        try:
            for name, data in files.items():
                place = made / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
            load_corpus(made, search)
            if folder.exists():
                folder.rmdir()  # empty, as seen above
            os.rename(made, folder)  # noqa: PTH104 (one style for both)
        except OSError as e:
            raise CorpusError(f"{folder}: cannot be written: {e.strerror}") from None
        except CorpusError as e:
            raise CorpusError(str(e).replace(str(made), str(folder))) from None
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return load_corpus(folder.absolute(), None)


def truth_of(bugs: Sequence[Mapping[str, Any]], *, judged_only: bool) -> dict[str, Any]:
    """A `ground-truth.json` of imported bugs."""
    version = {"judged_only": True} if judged_only else {"matcher_version": 1}
    return {"canary": CANARY, "bugs": [*bugs], **version}


def _files(cases: Sequence[NewCase]) -> dict[str, bytes]:
    """Every file of the corpus by its path, the index last."""
    found: dict[str, bytes] = {}
    for case in sorted(cases, key=lambda one: one.id):
        found[f"{case.id}/{META}"] = codec.encode(dict(case.meta))
        found[f"{case.id}/{TRUTH}"] = codec.encode(dict(case.truth))
        if case.patch is not None:
            found[f"{case.id}/{PATCH}"] = case.patch
        for path, data in case.context.items():
            found[f"{case.id}/{CONTEXT}/{path}"] = data
    return found | {INDEX: codec.encode([{"id": case, "split": SPLIT} for case in sorted(c.id for c in cases)])}


def _same(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Does `folder` hold exactly `files`? What pytest or an editor leaves there does not count."""
    there = {path for path in files_below(folder) if not path.startswith(".")}
    return there == files.keys() and all((folder / path).read_bytes() == data for path, data in files.items())
