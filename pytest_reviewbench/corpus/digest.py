"""The identity of a corpus: what two runs must share before their numbers may stand side by side."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator

from pytest_reviewbench.contain.files import files_below, read_bounded
from pytest_reviewbench.corpus.layout import CONTEXT, INDEX, INDEX_LIMIT, META, PATCH, TRUTH
from pytest_reviewbench.corpus.loaded import Corpus
from pytest_reviewbench.corpus.patch import LIMIT as PATCH_LIMIT

FILE_LIMIT = 32 << 20


def corpus_sha256(corpus: Corpus) -> str:
    """sha256 over the index and over the files of every case that decide what is shown and what is true.

    Pins stand in `meta.json`, so pinned code counts too. Proofs and notes do not change any number. A corpus has
    the same sealed and unsealed; of a case that cannot be opened, the hashes count that stand in plain beside it.
    """
    digest = hashlib.sha256()
    for path, content in _hashes(corpus):
        digest.update(f"{path}\0{content}\n".encode())
    return digest.hexdigest()


def _hashes(corpus: Corpus) -> Iterator[tuple[str, str]]:
    """(path inside the corpus folder, sha256 of what stands there in plain), in a fixed order."""
    yield INDEX, _hash(f"{corpus.folder}/{INDEX}")
    for case_id in sorted({*corpus.cases, *corpus.locked}):
        home = f"{corpus.folder}/{case_id}"
        for name in (META, PATCH, TRUTH):
            sha256 = _sealed_hash(corpus, case_id, name)
            if sha256 is not None or os.path.lexists(f"{home}/{name}"):
                yield f"{case_id}/{name}", sha256 or _hash(f"{home}/{name}")
        for path in files_below(f"{home}/{CONTEXT}"):
            yield f"{case_id}/{CONTEXT}/{path}", _hash(f"{home}/{CONTEXT}/{path}")


def _sealed_hash(corpus: Corpus, case_id: str, name: str) -> str | None:
    if case_id in corpus.locked:
        return corpus.locked[case_id].hashes.get(name)
    sealed = corpus.cases[case_id].sealed
    return hashlib.sha256(sealed[name]).hexdigest() if name in sealed else None


def _hash(path: str) -> str:
    limit = PATCH_LIMIT if path.endswith(f"/{PATCH}") else max(FILE_LIMIT, INDEX_LIMIT)
    return hashlib.sha256(read_bounded(path, limit)).hexdigest()
