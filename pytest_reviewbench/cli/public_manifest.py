"""`reviewbench public-manifest`."""

from __future__ import annotations

import json

from pytest_reviewbench.cli.places import Corpus, corpus_folder
from pytest_reviewbench.corpus.index import read_index
from pytest_reviewbench.corpus.split import public_entries


def public_manifest(
    corpus: Corpus = None,
) -> None:
    """Print an index that may be published: test ids hashed, commit ids dropped, order saying nothing."""
    print(json.dumps(public_entries(read_index(corpus_folder(corpus))), indent=1, ensure_ascii=False))
