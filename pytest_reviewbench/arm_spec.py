"""What an arm was asked to be: a name, a family, and the keys of its table, checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from pytest_reviewbench.connection import Connection, read_base_url, read_variable
from pytest_reviewbench.errors import SettingsError, did_you_mean

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
RESERVED = re.compile(r"\.(twin|r\d+)\Z")
"""Suffixes that mean something in names of cases and items."""


@dataclass(frozen=True, slots=True)
class ArmSpec:
    """An arm as it was asked for: a name, the family that builds it, and the keys that were given."""

    name: str
    family: str
    agent: str | None = None
    skill: str | None = None
    model: str | None = None
    argv: tuple[str, ...] | None = None
    output: str | None = None
    format: str | None = None
    ok_exit: tuple[int, ...] | None = None
    scope: Literal["hunks", "file"] | None = None
    lang: tuple[str, ...] | None = None
    base: str | None = None
    network: bool | None = None
    rerun_on_fixed: bool | None = None
    base_url: str | None = None
    auth_env: str | None = None

    @property
    def connection(self) -> Connection:
        return Connection(self.base_url, self.auth_env)

    def given(self) -> dict[str, Any]:
        """The keys that were set, by name, without name and family."""
        values = {f.name: getattr(self, f.name) for f in fields(self)[2:]}
        return {key: value for key, value in values.items() if value is not None}


def base_of(spec: ArmSpec) -> str | None:
    """The arm that this one builds on; None: it builds on none."""
    return spec.base or ("perun" if spec.family == "perun-gap" else None)


def read_arm_spec(
    name: str, found: tuple[Mapping[str, Any] | None, str], asked: str = "--reviewbench-arm"
) -> ArmSpec:
    """The arm `name` as the table that was `found` for it says. `asked` is where somebody wrote the name."""
    table, where = found
    if not NAME.match(name) or RESERVED.search(name):
        raise SettingsError(
            f"{asked}: {name[:80]!r} is not an arm name; use 1 to 64 letters, digits, '.', '_' or '-', "
            "starting with a letter or digit, not ending in .twin or .rN"
        )
    if table is None:  # a family that needs no keys serves under its own name
        return ArmSpec(name=name, family=name)
    known = [f.name for f in fields(ArmSpec)[1:]]
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise SettingsError(f"{where} has no key {key!r}{did_you_mean(key, known)}")
        values[key] = _arm_value(key, value, f"{where} {key}")
    return ArmSpec(name=name, **{"family": name, **values})


def _arm_value(key: str, value: Any, where: str) -> Any:
    if key in ("argv", "lang"):
        value = [value] if key == "lang" and isinstance(value, str) else value
        if isinstance(value, list) and value and all(isinstance(word, str) and word for word in value):
            return tuple(value)
        raise SettingsError(f"{where}: expected a list of strings, got {value!r}")
    if key == "ok_exit":
        value = [value] if isinstance(value, int) else value
        if isinstance(value, list) and value and all(type(code) is int and 0 <= code <= 255 for code in value):
            return tuple(value)
        raise SettingsError(f"{where}: expected exit codes from 0 to 255, got {value!r}")
    if key in ("network", "rerun_on_fixed"):
        if isinstance(value, bool):
            return value
        raise SettingsError(f"{where}: expected true or false, got {value!r}")
    if not isinstance(value, str) or not value:
        raise SettingsError(f"{where}: expected a string, got {value!r}")
    if key in ("base_url", "auth_env"):
        try:
            return read_base_url(value) if key == "base_url" else read_variable(value)
        except ValueError as e:
            raise SettingsError(f"{where}: {e}") from None
    if key == "scope" and value not in ("hunks", "file"):
        raise SettingsError(f"{where}: expected 'hunks' or 'file', got {value!r}")
    return value
