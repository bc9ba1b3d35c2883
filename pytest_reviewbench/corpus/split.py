"""Which cases may be tuned on (`train`) and which only measure (`test`), decided by the id alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_reviewbench.model import Split

SECRET_KEYS = frozenset({"fix_sha", "intro_sha"})
"""Keys of an index entry that point at the answer."""


def first_split(ids: Iterable[str], public: Iterable[str] = ()) -> dict[str, Split]:
    """The first assignment of a new corpus: by sha256 of the id, a third is train; public ids are train too."""
    order = sorted(set(ids), key=_digest)
    third = len(order) // 3
    assigned: dict[str, Split] = {case_id: "train" if n < third else "test" for n, case_id in enumerate(order)}
    return assigned | dict.fromkeys(public, "train")


def later_split(case_id: str) -> Split:
    """The side of a case that is added to a corpus which is already split: nothing else moves."""
    return "train" if int(_digest(case_id), 16) % 3 == 0 else "test"


def public_entries(entries: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Entries that may be published: test ids hashed, what points at the fix dropped, order saying nothing."""
    published = []
    for entry in entries:
        if entry["split"] == "test":
            kept = {key: value for key, value in entry.items() if key not in SECRET_KEYS}
            published.append(kept | {"id": "test-" + _digest("test:" + entry["id"])[:10]})
        else:
            published.append(dict(entry))
    return sorted(published, key=lambda entry: (entry["split"] == "test", entry["id"]))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
