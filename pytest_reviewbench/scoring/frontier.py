"""Quality against cost: which arms no other beats in both."""

from __future__ import annotations

from collections.abc import Mapping


def frontier(quality: Mapping[str, float | None], cost: Mapping[str, float | None]) -> list[str]:
    """The arms that no other equals or beats in both and beats in one, the cheapest first.

    An arm whose quality or cost is not known is on no frontier, and beats nobody.
    """
    known = {
        arm: (price, -good)
        for arm, good in quality.items()
        if good is not None and (price := cost.get(arm)) is not None
    }
    best = [
        arm
        for arm, point in known.items()
        if not any(
            other != point and all(x <= y for x, y in zip(other, point, strict=True)) for other in known.values()
        )
    ]
    return sorted(best, key=lambda arm: (known[arm], arm))
