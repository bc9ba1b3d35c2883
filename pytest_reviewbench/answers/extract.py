"""STUB."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Extracted:
    items: Sequence[Mapping[str, Any]] = ()
    warnings: tuple[str, ...] = ()
    unparsable: str | None = None


def extract(text: str) -> Extracted:
    start = text.find("[")
    if start < 0:
        return Extracted(unparsable="no JSON array in the answer")
    try:
        return Extracted(json.JSONDecoder().raw_decode(text[start:])[0])
    except ValueError as e:
        return Extracted(unparsable=str(e))
