"""What a session was asked for: options, ini values and `[tool.reviewbench]` become one frozen `Settings`.

A value comes from the command line, else from the ini file, else from `[tool.reviewbench]` of the rootdir's
pyproject.toml, else from the default. Arms are defined in `[tool.reviewbench.arms.NAME]`.
"""

from __future__ import annotations

import argparse
import difflib
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, cast

from pytest_reviewbench.arm_spec import ArmSpec, base_of, read_arm_spec
from pytest_reviewbench.errors import SettingsError, did_you_mean
from pytest_reviewbench.options import OPTIONS, Option

if TYPE_CHECKING:
    import pytest

SIDES: tuple[Literal["under"], Literal["over"]] = ("under", "over")


@dataclass(frozen=True, slots=True)
class Gate:
    """A bound on a number of an arm (None: of every arm). `side` says where the number must not be."""

    side: Literal["under", "over"]
    arm: str | None
    name: str
    bound: float
    text: str


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a session was asked for. Paths are absolute.

    `bases` are arms that others build on and that were not asked for themselves; `base` is a complete run that
    stands for them.
    """

    arms: tuple[ArmSpec, ...]
    bases: tuple[ArmSpec, ...]
    base: Path | None
    corpus: Path
    cases: tuple[str, ...]
    split: Literal["test", "train", "all"]
    runs: Path
    reps: tuple[int, ...]
    jobs: int
    timeout: float
    skill: Path | None
    agent_home: Literal["private", "inherit"]
    sandbox: Literal["auto", "bwrap", "none"]
    strict: bool
    offline: bool
    verify: bool
    verifiers: tuple[str, ...]
    fail_on_miss: bool
    gates: tuple[Gate, ...] = field(default=())


def early_corpus(config: pytest.Config) -> Path:
    """The corpus of an armed session, asked for before pytest has filled `config.option`."""
    refuse_space_form(config.invocation_params.args)
    return _Reader(config, config.known_args_namespace).path("corpus", config.rootpath / "corpus")


def read_settings(config: pytest.Config) -> Settings:
    """The session's settings. Raises `SettingsError` that names the option, ini value or key."""
    reader = _Reader(config, config.option)
    reader.check_keys()
    refuse_space_form(config.invocation_params.args)
    names = _unique(reader.words("arm"), "--reviewbench-arm")
    arms = tuple(read_arm_spec(name, reader.arm_table(name)) for name in names)
    bases = {base for spec in arms if (base := base_of(spec)) is not None}
    return Settings(
        arms=arms,
        bases=tuple(read_arm_spec(name, reader.arm_table(name)) for name in sorted(bases - set(names))),
        base=reader.optional_path("base"),
        corpus=reader.path("corpus", config.rootpath / "corpus"),
        cases=_unique(reader.words("case"), "--reviewbench-case"),
        split=reader.parsed("split", _one_of("test", "train", "all")),
        runs=reader.path("runs", config.invocation_params.dir / ".reviewbench" / "runs"),
        reps=reader.parsed("reps", _reps),
        jobs=reader.parsed("jobs", _positive_int),
        timeout=reader.parsed("timeout", _positive_seconds),
        skill=reader.optional_path("skill"),
        agent_home=reader.parsed("agent-home", _one_of("private", "inherit")),
        sandbox=reader.parsed("sandbox", _one_of("auto", "bwrap", "none")),
        strict=reader.flag("strict"),
        offline=reader.flag("offline"),
        verify=not reader.flag("no-verify"),
        verifiers=_unique(reader.words("verifier"), "--reviewbench-verifier"),
        fail_on_miss=reader.flag("fail-on-miss"),
        gates=tuple(_gate(side, text) for side in SIDES for text in reader.words(f"fail-{side}")),
    )


def folder_settings(folder: Path) -> Settings:
    """What a session in `folder` gets from its pyproject.toml alone. Raises `SettingsError` as it would."""
    nobody = SimpleNamespace(
        rootpath=folder,
        invocation_params=SimpleNamespace(dir=folder, args=()),
        option=argparse.Namespace(),
        getini=lambda name: None,
    )
    return read_settings(cast("pytest.Config", nobody))


def refuse_space_form(args: Sequence[str]) -> None:
    """`--reviewbench-corpus PATH`: pytest takes PATH for a test path first and moves its rootdir there."""
    for option in OPTIONS:
        if option.path and option.flagged in args:
            raise SettingsError(
                f"{option.flagged} must be written with '=', as {option.flagged}=PATH: "
                "in the form with a space pytest takes PATH for a test path and moves its rootdir"
            )


class _Reader:
    """Looks a value up in its three places and knows how to name the place in an error."""

    def __init__(self, config: pytest.Config, given: argparse.Namespace) -> None:
        self._config = config
        self._given = given
        self._file = config.rootpath / "pyproject.toml"
        self._table = tool_table(self._file)

    def check_keys(self) -> None:
        known = [option.name for option in OPTIONS if option.configurable]
        for key in self._table:
            if key.replace("_", "-") not in (*known, "arms"):
                raise SettingsError(
                    f"{self._file}: [tool.reviewbench] has no key {key!r}{did_you_mean(key, known)}"
                )

    def arm_table(self, name: str) -> tuple[Mapping[str, Any] | None, str]:
        return arm_table(self._file, self._table, name)

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


def _gate(side: Literal["under", "over"], text: str) -> Gate:
    named, equals, bound = text.partition("=")
    arm, colon, name = named.rpartition(":")
    try:
        number = float(bound)
    except ValueError:
        number = float("nan")
    if not equals or not name.strip() or (colon and not arm.strip()) or not abs(number) < float("inf"):
        raise SettingsError(
            f"--reviewbench-fail-{side}: {text!r} is not [ARM:]NAME=VALUE, as in recall_strict=0.2 "
            "or tools:precision_strict=0.5"
        )
    return Gate(side=side, arm=arm.strip() or None, name=name.strip(), bound=number, text=f"fail-{side} {text}")


def _reps(text: str) -> tuple[int, ...]:
    try:
        numbers = [int(part) for part in text.removesuffix(",").split(",")]
    except ValueError:
        numbers = [0]
    if "," not in text:
        numbers = list(range(1, numbers[0] + 1)) if 0 < numbers[0] <= 1000 else [0]
    if min(numbers) < 1 or max(numbers) > 1000 or len(set(numbers)) != len(numbers):
        raise ValueError(f"{text!r} is neither a number of repetitions (3) nor a list of them (2,5), 1 to 1000")
    return tuple(sorted(numbers))


def _positive_int(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= 10_000:
        raise ValueError(f"expected a whole number from 1 to 10000, got {text!r}")
    return int(text)


def _positive_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 1e6:
        raise ValueError(f"expected seconds above 0, got {text!r}")
    return seconds


def _one_of(*words: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in words:
            close = difflib.get_close_matches(text, words, 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise ValueError(f"expected one of {', '.join(words)}, got {text!r}{hint}")
        return text

    return parse


def _unique(words: Sequence[str], where: str) -> tuple[str, ...]:
    for word in words:
        if words.count(word) > 1:
            raise SettingsError(f"{where}: {word!r} was given twice")
    return tuple(words)
