"""Where a setting was said: the command line, the ini file, `[tool.reviewbench]`; and how to name that place."""

from __future__ import annotations

import argparse
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_reviewbench.errors import SettingsError, did_you_mean
from pytest_reviewbench.options import OPTIONS, Option
from pytest_reviewbench.prices import Price, read_prices

if TYPE_CHECKING:
    import pytest


PREFIX = "reviewbench_"


class Reader:
    """Looks a value up in its three places and knows how to name the place in an error."""

    def __init__(self, config: pytest.Config, given: argparse.Namespace) -> None:
        self._config = config
        self._given = given
        self._file = config.rootpath / "pyproject.toml"
        self._table = tool_table(self._file)

    def check_keys(self) -> None:
        """Raises `SettingsError` for what nobody reads, or what is said twice in one place."""
        known = [option.name for option in OPTIONS if option.configurable]
        for key in _ini_keys(getattr(self._config, "inipath", None)):
            if key.removeprefix(PREFIX).replace("_", "-") not in known:
                raise SettingsError(
                    f"ini value {key}: there is none of this name"
                    f"{did_you_mean(key, [PREFIX + name.replace('-', '_') for name in known])}"
                )
        for key in self._table:
            if key.replace("_", "-") not in (*known, "arms", "prices"):
                raise SettingsError(
                    f"{self._file}: [tool.reviewbench] has no key {key!r}{did_you_mean(key, known)}"
                )
            if (twin := key.replace("_", "-")) != key and twin in self._table:
                raise SettingsError(
                    f"{self._file}: [tool.reviewbench] says both {twin!r} and {key!r}; leave one out"
                )

    def arm_table(self, name: str) -> tuple[Mapping[str, Any] | None, str]:
        return arm_table(self._file, self._table, name)

    def prices(self) -> Mapping[str, Price]:
        return read_prices(self._table.get("prices", {}), f"{self._file}: [tool.reviewbench.prices]")

    def on_command_line(self, name: str) -> bool:
        return getattr(self._given, _option(name).dest, None) is not None

    def words(self, name: str) -> list[str]:
        value, where = self._value(name)
        if value is None:
            return []
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise SettingsError(f"{where}: expected a string or a list of strings, got {value!r}")
        return value

    def flag(self, name: str) -> bool:
        value, where = self._value(name)
        if value is not None and not isinstance(value, bool):
            raise SettingsError(f"{where}: expected true or false, got {value!r}")
        return bool(value)

    def path(self, name: str, default: Path) -> Path:
        value, where = self._value(name)
        if value is None:
            return default
        if not isinstance(value, str) or not value:
            raise SettingsError(f"{where}: expected a path, got {value!r}")
        on_command_line = where.startswith("--")
        start = self._config.invocation_params.dir if on_command_line else self._config.rootpath
        return Path(os.path.abspath(Path(start, Path(value).expanduser())))

    def optional_path(self, name: str) -> Path | None:
        return self.path(name, Path()) if self._value(name)[0] is not None else None

    def parsed(self, name: str, parse: Callable[[str], Any]) -> Any:
        value, where = self._value(name)
        try:
            return parse(str(_option(name).default if value is None else value).strip())
        except ValueError as e:
            raise SettingsError(f"{where}: {e}") from None

    def optional(self, name: str, parse: Callable[[str], Any]) -> Any:
        """As `parsed`; None where nobody has said anything."""
        return None if self._value(name)[0] is None else self.parsed(name, parse)

    def _value(self, name: str) -> tuple[Any, str]:
        option = _option(name)
        given = getattr(self._given, option.dest, None)
        if given is not None:
            return given, option.flagged
        if option.configurable:
            given = self._config.getini(option.dest)
            if given is not None:
                return given, f"ini value {option.dest}"
            for key in (option.name, option.name.replace("-", "_")):
                if key in self._table:
                    return self._table[key], f"{self._file}: [tool.reviewbench] {key}"
        return None, option.flagged


def _ini_keys(file: Path | None) -> list[str]:
    """The names in pytest's own configuration that are meant for this plugin, known or not."""
    if file is None:
        return []
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return []  # pytest has read it: it is gone now
    names = re.findall(rf"^[ \t]*[\"']?({PREFIX}\w+)[\"']?[ \t]*[=:]", text, re.MULTILINE)
    return sorted(set(names))


def tool_table(file: Path) -> dict[str, Any]:
    """[tool.reviewbench] of the pyproject.toml `file`; empty without one. Raises `SettingsError`."""
    if not file.is_file():
        return {}
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("reviewbench", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as e:
        raise SettingsError(f"{file}: cannot be read: {e}") from None
    if not isinstance(table, dict):
        raise SettingsError(f"{file}: [tool.reviewbench] must be a table")
    return table


def arm_table(file: Path, table: Mapping[str, Any], name: str) -> tuple[Mapping[str, Any] | None, str]:
    """The table that defines arm `name` (None: not defined there) and how to name that place."""
    arms = table.get("arms", {})
    where = f"{file}: [tool.reviewbench.arms.{name}]"
    if not isinstance(arms, dict) or not isinstance(arms.get(name, {}), dict):
        raise SettingsError(f"{where} must be a table")
    return arms.get(name), where


def _option(name: str) -> Option:
    return next(option for option in OPTIONS if option.name == name)
