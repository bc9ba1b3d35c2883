"""Our own answer format: one JSON document, an array of findings or an object with `findings`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_reviewbench import codec
from pytest_reviewbench.errors import FormatError


def read_document(raw: bytes, where: str) -> list[Mapping[str, Any]]:
    """The items of an answer that must be JSON and nothing else.

    Raises `FormatError` when it is not that: empty output, prose, a cut document, another shape, or a list in
    which no item is a finding. An empty list is an answer: nothing found. An item that is no object stays in its
    place as an empty one, so that whoever normalises the items says that it was left out.
    """
    if not raw.strip():
        raise FormatError(f"{where}: no output, expected a JSON array of findings ([] for none)")
    value = codec.parse(raw, where, mend_surrogates=True)
    if isinstance(value, dict) and isinstance(value.get("findings"), list):
        value = value["findings"]
    if not isinstance(value, list):
        raise FormatError(f'{where}: expected a JSON array of findings or {{"findings": [...]}}')
    if value and not any(isinstance(item, dict) for item in value):
        raise FormatError(f"{where}: none of the {len(value)} items is an object")
    return [item if isinstance(item, dict) else {} for item in value]
