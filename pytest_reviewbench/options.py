"""Options, ini values and `[tool.reviewbench]` become one frozen `Settings`.

This module is on the idle path of every pytest session: it imports nothing that pytest has not loaded.
A value comes from the command line, else from the ini file, else from `[tool.reviewbench]` of the rootdir's
pyproject.toml, else from the default. Arms are defined in `[tool.reviewbench.arms.NAME]`.
"""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pytest_reviewbench.errors import SettingsError

if TYPE_CHECKING:
    import pytest

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
SIDES: tuple[Literal["under"], Literal["over"]] = ("under", "over")
RESERVED = re.compile(r"\.(twin|r\d+)\Z")


@dataclass(frozen=True, slots=True)
class Gate:
    """A bound on a number of an arm (None: of every arm). `side` says where the number must not be."""

    side: Literal["under", "over"]
    arm: str | None
    name: str
    bound: float
    text: str


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
    ok_exit: tuple[int, ...] | None = None
    scope: Literal["hunks", "file"] | None = None
    lang: tuple[str, ...] | None = None
    base: str | None = None

    def given(self) -> dict[str, Any]:
        """The keys that were set, by name, without name and family."""
        values = {f.name: getattr(self, f.name) for f in fields(self)[2:]}
        return {key: value for key, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a session was asked for. Paths are absolute."""

    arms: tuple[ArmSpec, ...]
    corpus: Path
    cases: tuple[str, ...]
    split: Literal["test", "train", "all"]
    runs: Path
    reps: tuple[int, ...]
    jobs: int
    timeout: float
    offline: bool
    verify: bool
    fail_on_miss: bool
    gates: tuple[Gate, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Option:
    """One option in its three spellings: `--reviewbench-NAME`, ini `reviewbench_NAME`, key `NAME`."""

    name: str
    help: str
    default: Any = None
    flag: bool = False
    many: bool = False
    path: bool = False
    configurable: bool = True

    @property
    def flagged(self) -> str:
        return f"--reviewbench-{self.name}"

    @property
    def dest(self) -> str:
        return "reviewbench_" + self.name.replace("-", "_")


OPTIONS = (
    Option(
        "arm",
        "review the corpus with this arm: `tools`, or one defined in [tool.reviewbench.arms.NAME] "
        "(repeatable; without it the plugin does nothing)",
        many=True,
        configurable=False,
    ),
    Option("corpus", "folder of cases, written with = (default: corpus in the rootdir)", path=True),
    Option("case", "review only this case, by exact id, whatever its split (repeatable)", many=True),
    Option("split", "which side of the corpus: test, train or all (default: test)", "test"),
    Option("runs", "where run folders go, written with = (default: .reviewbench/runs here)", path=True),
    Option(
        "reps", "repetitions of each arm: 3 is 1 to 3; 2,5 names them, and 2, only the second (default: 1)", "1"
    ),
    Option("jobs", "reviews in flight in one process; with -n N it is N instead (default: 4)", "4"),
    Option("timeout", "seconds that one session of a reviewer may take (default: 1500)", "1500"),
    Option("offline", "fetch nothing: use only code that is in the cache", flag=True),
    Option("no-verify", "run no verifier when the reviews are done", flag=True),
    Option("fail-on-miss", "a review that misses a known bug fails its item", flag=True),
    Option("fail-under", "[ARM:]NAME=VALUE: fail when this number is lower, or not measured", many=True),
    Option("fail-over", "[ARM:]NAME=VALUE: fail when this number is higher, or not measured", many=True),
)


def add_options(parser: pytest.Parser) -> None:
    """Declare every option and its ini twin."""
    group = parser.getgroup("reviewbench", "measuring code reviewers (pytest-reviewbench)")
    for option in OPTIONS:
        kind: dict[str, Any]
        if option.flag:
            kind = {"action": "store_true", "default": None}
        else:
            metavar = "[ARM:]NAME=VALUE" if option.name.startswith("fail-") else option.name.upper()
            kind = {"action": "append" if option.many else "store", "default": None, "metavar": metavar}
        group.addoption(option.flagged, dest=option.dest, help=option.help, **kind)
        if option.configurable:
            ini_type: Literal["bool", "linelist", "string"]
            ini_type = "bool" if option.flag else "linelist" if option.many else "string"
            parser.addini(option.dest, f"default of {option.flagged}", type=ini_type, default=None)


def armed(config: pytest.Config) -> bool:
    """Was any arm asked for on the command line? Only that wakes the plugin."""
    return bool(config.getoption("reviewbench_arm", None))


def early_corpus(config: pytest.Config) -> Path | None:
    """The corpus of an armed session, asked for before pytest has filled `config.option`; else None."""
    given = config.known_args_namespace
    if not given.reviewbench_arm:
        return None
    refuse_space_form(config.invocation_params.args)
    return _Reader(config, given).path("corpus", config.rootpath / "corpus")


def read_settings(config: pytest.Config) -> Settings:
    """The session's settings. Raises `SettingsError` that names the option, ini value or key."""
    reader = _Reader(config, config.option)
    reader.check_keys()
    refuse_space_form(config.invocation_params.args)
    arms = [_arm_spec(name, reader.arm_table(name)) for name in _unique(reader.words("arm"), "--reviewbench-arm")]
    return Settings(
        arms=tuple(arms),
        corpus=reader.path("corpus", config.rootpath / "corpus"),
        cases=_unique(reader.words("case"), "--reviewbench-case"),
        split=reader.parsed("split", _one_of("test", "train", "all")),
        runs=reader.path("runs", config.invocation_params.dir / ".reviewbench" / "runs"),
        reps=reader.parsed("reps", _reps),
        jobs=reader.parsed("jobs", _positive_int),
        timeout=reader.parsed("timeout", _positive_seconds),
        offline=reader.flag("offline"),
        verify=not reader.flag("no-verify"),
        fail_on_miss=reader.flag("fail-on-miss"),
        gates=tuple(_gate(side, text) for side in SIDES for text in reader.words(f"fail-{side}")),
    )


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
        self._table = _tool_table(self._file)

    def check_keys(self) -> None:
        known = [option.name for option in OPTIONS if option.configurable]
        for key in self._table:
            if key.replace("_", "-") not in (*known, "arms"):
                raise SettingsError(f"{self._file}: [tool.reviewbench] has no key {key!r}{_meant(key, known)}")

    def arm_table(self, name: str) -> tuple[Mapping[str, Any] | None, str]:
        """The table that defines arm `name` (None: not defined there) and how to name that place."""
        arms = self._table.get("arms", {})
        where = f"{self._file}: [tool.reviewbench.arms.{name}]"
        if not isinstance(arms, dict) or not isinstance(arms.get(name, {}), dict):
            raise SettingsError(f"{where} must be a table")
        return arms.get(name), where

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
        return Path(start, Path(value).expanduser()).absolute()

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


def _tool_table(file: Path) -> dict[str, Any]:
    if not file.is_file():
        return {}
    import tomllib

    try:
        table = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("reviewbench", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as e:
        raise SettingsError(f"{file}: cannot be read: {e}") from None
    if not isinstance(table, dict):
        raise SettingsError(f"{file}: [tool.reviewbench] must be a table")
    return table


def _option(name: str) -> Option:
    return next(option for option in OPTIONS if option.name == name)


def _arm_spec(name: str, found: tuple[Mapping[str, Any] | None, str]) -> ArmSpec:
    table, where = found
    if not NAME.match(name) or RESERVED.search(name):
        raise SettingsError(
            f"--reviewbench-arm: {name[:80]!r} is not an arm name; use 1 to 64 letters, digits, '.', '_' or '-', "
            "starting with a letter or digit, not ending in .twin or .rN"
        )
    if table is None:  # a family that needs no keys serves under its own name
        return ArmSpec(name=name, family=name)
    known = [f.name for f in fields(ArmSpec)[1:]]
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise SettingsError(f"{where} has no key {key!r}{_meant(key, known)}")
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
    if not isinstance(value, str) or not value:
        raise SettingsError(f"{where}: expected a string, got {value!r}")
    if key == "scope" and value not in ("hunks", "file"):
        raise SettingsError(f"{where}: expected 'hunks' or 'file', got {value!r}")
    return value


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
            raise ValueError(f"expected one of {', '.join(words)}, got {text!r}{_meant(text, words)}")
        return text

    return parse


def _unique(words: Sequence[str], where: str) -> tuple[str, ...]:
    for word in words:
        if words.count(word) > 1:
            raise SettingsError(f"{where}: {word!r} was given twice")
    return tuple(words)


def _meant(word: str, known: Sequence[str]) -> str:
    close = [*difflib.get_close_matches(word.replace("_", "-"), known), *difflib.get_close_matches(word, known)]
    return f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(known)}"
