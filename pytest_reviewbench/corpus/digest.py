"""The identity of a corpus: what two runs must share before their numbers may stand side by side."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator

from pytest_reviewbench.contain.files import files_below, read_bounded
from pytest_reviewbench.corpus.index import META, PATCH, Corpus
from pytest_reviewbench.corpus.patch import LIMIT as PATCH_LIMIT
from pytest_reviewbench.corpus.layout import CONTEXT, INDEX, INDEX_LIMIT, TRUTH

FILE_LIMIT = 32 << 20


def corpus_sha256(corpus: Corpus) -> str:
    """sha256 over the index and over the files of every case that decide what is shown and what is true.

    Pins stand in `meta.json`, so pinned code counts too. Proofs and notes do not change any number.
    """
    digest = hashlib.sha256()
    for path in _files(corpus):
        limit = PATCH_LIMIT if path.endswith(f"/{PATCH}") else max(FILE_LIMIT, INDEX_LIMIT)
        content = hashlib.sha256(read_bounded(f"{corpus.folder}/{path}", limit)).hexdigest()
        digest.update(f"{path}\0{content}\n".encode())
    return digest.hexdigest()


def _files(corpus: Corpus) -> Iterator[str]:
    """Paths inside the corpus folder."""
    yield INDEX
    for case in corpus.cases.values():
        yield from (f"{case.id}/{n}" for n in (META, PATCH, TRUTH) if os.path.lexists(f"{case.folder}/{n}"))
        yield from (f"{case.id}/{CONTEXT}/{path}" for path in files_below(f"{case.folder}/{CONTEXT}"))
