"""The corpus travels in the wheel. An editable install reads it where it is, so that no copy of it grows old."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CorpusHook(BuildHookInterface[Any]):
    """Called by hatchling for every wheel; `version` is `standard` or `editable`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable":
            build_data["force_include"]["corpus"] = "pytest_reviewbench/shipped/corpus"
