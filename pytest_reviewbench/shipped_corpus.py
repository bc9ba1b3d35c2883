"""The corpus that travels with the package, and the key that opens it.

The key is as public as the package. It keeps truths out of searches and out of what is crawled, not out of reach.
"""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = Path(os.path.abspath(__file__)).parent
PACKAGED = PACKAGE / "shipped"
"""In the wheel it holds the corpus; the key is always there."""
KEY_FILE = PACKAGED / "seal.key"


def shipped_corpus() -> Path | None:
    """The folder of the corpus in the wheel, or in the checkout that this package runs from; None: neither."""
    checkout = PACKAGE.parent
    for folder, mark in ((PACKAGED / "corpus", PACKAGED), (checkout / "corpus", checkout / "pyproject.toml")):
        if mark.exists() and (folder / "manifest.json").is_file():
            return folder
    return None


def default_corpus(root: Path) -> Path:
    """The corpus when nobody names one: that of `root`, and where there is none the shipped one."""
    own = root / "corpus"
    return own if os.path.lexists(own) else shipped_corpus() or own
