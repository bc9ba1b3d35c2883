"""What decides what the numbers of a run mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from pytest_reviewbench.model.base import Amount, CaseId, Count, Kind, Line, Record, ReviewedId, Scope, Sha256


class RunManifest(Record, frozen=True, kw_only=True):
    """`manifest.json` of a run: everything that decides what its numbers mean.

    `redacted` names the keys of `settings` in which a secret was replaced. `base_url` is where a model was asked
    other than at its maker's; `price` what the project says its tokens cost, in USD per million. `imported` has the
    sha256 of the files from which reviews of others were imported, by name.
    """

    schema: Literal[1] = 1
    arm: CaseId
    rep: Line
    kind: Kind = "review"
    family: str
    settings: Mapping[str, Any]
    redacted: tuple[str, ...] = ()
    versions: Mapping[str, str | None]
    environment: Mapping[str, str]
    corpus_sha256: Sha256
    matcher_versions: Mapping[str, int | str | None]
    split: Literal["train", "test", "all"]
    cases: tuple[ReviewedId, ...]
    absent: Count = 0
    scope: Scope | None
    jobs: Line
    timeout: Amount
    started: str
    sandbox: str = "none"
    uncontained: str | None = None
    bounded: Mapping[str, str] = msgspec.field(default_factory=dict)
    agent: str | None = None
    agent_version: str | None = None
    agent_home: Literal["private", "inherit"] | None = None
    model: str | None = None
    arguments: tuple[str, ...] | None = None
    prompt_sha256: Sha256 | None = None
    skill_sha256: Sha256 | None = None
    base: str | None = None
    base_url: str | None = None
    price: Mapping[str, Amount] | None = None
    parent: str | None = None
    imported: Mapping[str, Sha256] = msgspec.field(default_factory=dict)
