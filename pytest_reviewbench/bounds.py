"""Bounds on how a number may differ from that of a baseline: `[ARM:]NAME<VALUE` or `>`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

BOUND = re.compile(r"\s*(?:(?P<arm>[^:<>\s]+)\s*:\s*)?(?P<name>[a-z0-9_]+)\s*(?P<side>[<>])\s*(?P<bound>[^<>=]+)")


@dataclass(frozen=True, slots=True)
class Bound:
    """What must not be: the difference `name` of `arm` (None: any arm) to the baseline on this side of `bound`.

    `certain`: only where the whole 95 % interval is there.
    """

    arm: str | None
    name: str
    side: Literal["<", ">"]
    bound: float
    certain: bool
    text: str


def read_bound(text: str, *, certain: bool) -> Bound:
    """Raises `ValueError`, whose text says what was expected."""
    found = BOUND.fullmatch(text)
    try:
        bound = float(found["bound"]) if found else float("nan")
    except ValueError:
        bound = float("nan")
    if found is None or not abs(bound) < float("inf"):
        raise ValueError(f"{text[:80]!r} is not [ARM:]NAME<VALUE or [ARM:]NAME>VALUE, as in 'recall_strict<-0.02'")
    side: Literal["<", ">"] = "<" if found["side"] == "<" else ">"
    option = "fail-if-certain" if certain else "fail-if"
    return Bound(found["arm"], found["name"], side, bound, certain, f"{option} {text.strip()}")
