"""How many findings name a bug of their own: the order-free meaning of `duplicates`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def distinct_matches(hits: Mapping[str, Sequence[str]]) -> int:
    """Size of a largest assignment of findings to bugs in which nobody is used twice.

    `hits` maps finding ids to the bugs they name. Matched findings beyond this number are duplicates: every
    bug pays for one finding, a finding that names two bugs is paid once. Augmenting paths (Kuhn 1955).
    """
    taken: dict[str, str] = {}

    def place(finding: str, seen: set[str]) -> bool:
        for bug in hits[finding]:
            if bug not in seen:
                seen.add(bug)
                if bug not in taken or place(taken[bug], seen):
                    taken[bug] = finding
                    return True
        return False

    return sum(place(finding, set()) for finding in sorted(hits))
