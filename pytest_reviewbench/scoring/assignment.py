"""How many findings name a bug of their own: the order-free meaning of `duplicates`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def distinct_matches(hits: Mapping[str, Sequence[str]]) -> int:
    """Size of a largest assignment of findings to bugs in which nobody is used twice.

    `hits` maps finding ids to the bugs they name. Matched findings beyond this number are duplicates: every
    bug pays for one finding, a finding that names two bugs is paid once. Augmenting paths (Kuhn 1955).
    """
    owner: dict[str, str] = {}  # bug -> the finding it is assigned to
    for finding in sorted(hits):
        _place(finding, hits, owner)
    return len(owner)


def _place(finding: str, hits: Mapping[str, Sequence[str]], owner: dict[str, str]) -> None:
    """Assign one more finding, moving others along a shortest path to a free bug; nothing if there is none."""
    reached: dict[str, tuple[str, str | None]] = {}  # bug -> who asks for it, and the bug that would set free
    waiting: list[tuple[str, str | None]] = [(finding, None)]
    for asking, gives_up in waiting:
        for bug in hits[asking]:
            if bug in reached:
                continue
            reached[bug] = (asking, gives_up)
            if bug in owner:
                waiting.append((owner[bug], bug))
                continue
            free: str | None = bug
            while free is not None:
                owner[free], free = reached[free]
            return
