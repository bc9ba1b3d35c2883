"""Prices that a project gives for its models: `[tool.reviewbench.prices."MODEL"]`, USD per million tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from pytest_reviewbench.errors import SettingsError, did_you_mean

KEYS = ("input", "output", "cache_read", "cache_write")
NO_PRICES: Mapping[str, Price] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens: read anew, said, read from the cache, written to it."""

    input: float
    output: float
    cache_read: float
    cache_write: float


def read_prices(table: Any, where: str) -> Mapping[str, Price]:
    """The prices in `table` by model. Cached tokens cost what `input` does unless said otherwise.

    Raises `SettingsError` that begins with `where`.
    """
    if not isinstance(table, dict):
        raise SettingsError(f"{where} must be a table of models")
    found = {}
    for model, entry in table.items():
        place = f'{where}."{model}"'
        if not isinstance(entry, dict):
            raise SettingsError(f"{place} must be a table with input and output")
        for key, value in entry.items():
            if key not in KEYS:
                raise SettingsError(f"{place} has no key {key!r}{did_you_mean(key, KEYS)}")
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1e6:
                raise SettingsError(f"{place} {key}: expected USD per million tokens, got {value!r}")
        for key in ("input", "output"):
            if key not in entry:
                raise SettingsError(f"{place} {key}: missing; a price needs input and output")
        rates = {key: float(entry[key if key in entry else "input"]) for key in KEYS}
        found[str(model)] = Price(**rates)
    return MappingProxyType(found)
