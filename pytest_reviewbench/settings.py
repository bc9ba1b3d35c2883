"""What a session was asked for: options, ini values and `[tool.reviewbench]` become one frozen `Settings`.

A value comes from the command line, else from the ini file, else from `[tool.reviewbench]` of the rootdir's
pyproject.toml, else from the default. Arms are defined in `[tool.reviewbench.arms.NAME]`.
"""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Literal, cast

from pytest_reviewbench.arm_spec import ArmSpec, base_of, read_arm_spec
from pytest_reviewbench.bounds import Bound, read_bound
from pytest_reviewbench.connection import Connection, read_base_url, read_variable
from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.options import OPTIONS
from pytest_reviewbench.prices import Price
from pytest_reviewbench.settings_reader import Reader
from pytest_reviewbench.shipped_corpus import default_corpus, shipped_corpus

if TYPE_CHECKING:
    import pytest

MOST_RETRIES = 20
LLM = "llm"
"""The agent that calls models directly."""

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

    `shipped` says that the corpus is the one that came with this package. `bases` are arms that others build on and
    that were not asked for themselves; `base` is a complete run that stands for them. `retries` are attempts beyond
    the first; `max_cost` is in USD; of `per_agent`, `max_cost` and `max_minutes` None is no bound.
    `bounds` are on differences to `baseline`, a run that may not be there.
    """

    arms: tuple[ArmSpec, ...]
    bases: tuple[ArmSpec, ...]
    base: Path | None
    corpus: Path
    shipped: bool
    cases: tuple[str, ...]
    split: Literal["test", "train", "all"]
    twins: bool
    runs: Path
    reps: tuple[int, ...]
    jobs: int
    timeout: float
    skill: Path | None
    connection: Connection
    prices: Mapping[str, Price]
    agent_home: Literal["private", "inherit"]
    sandbox: Literal["auto", "bwrap", "none"]
    strict: bool
    offline: bool
    verify: bool
    verifiers: tuple[str, ...]
    fail_on_miss: bool
    retries: int = 0
    per_agent: int | None = None
    max_cost: float | None = None
    max_minutes: float | None = None
    dry_run: bool = False
    reveal_test: bool = False
    gates: tuple[Gate, ...] = field(default=())
    baseline: Path | None = None
    bounds: tuple[Bound, ...] = ()


def early_corpus(config: pytest.Config) -> Path:
    """The corpus of an armed session, asked for before pytest has filled `config.option`."""
    refuse_space_form(config.invocation_params.args)
    return Reader(config, config.known_args_namespace).path("corpus", default_corpus(config.rootpath))


def read_settings(config: pytest.Config) -> Settings:
    """The session's settings. Raises `SettingsError` that names the option, ini value or key."""
    reader = Reader(config, config.option)
    reader.check_keys()
    refuse_space_form(config.invocation_params.args)
    names = _unique(reader.words("arm"), "--reviewbench-arm")
    arms = tuple(read_arm_spec(name, reader.arm_table(name)) for name in names)
    bases = {base: f"{reader.arm_table(spec.name)[1]} base" for spec in arms if (base := base_of(spec)) is not None}
    return Settings(
        arms=arms,
        bases=tuple(
            read_arm_spec(name, reader.arm_table(name), bases[name]) for name in sorted(bases.keys() - set(names))
        ),
        base=reader.optional_path("base"),
        corpus=(corpus := reader.path("corpus", default_corpus(config.rootpath))),
        shipped=corpus == shipped_corpus() and corpus != config.rootpath / "corpus",
        cases=_unique(reader.words("case"), "--reviewbench-case"),
        split=reader.parsed("split", _one_of("test", "train", "all")),
        twins=reader.flag("twins"),
        runs=reader.path("runs", config.invocation_params.dir / ".reviewbench" / "runs"),
        reps=reader.parsed("reps", _reps),
        jobs=reader.parsed("jobs", _positive_int),
        timeout=reader.parsed("timeout", _above_0("seconds")),
        skill=reader.optional_path("skill"),
        connection=_connection(reader, arms, reader.words("verifier")),
        prices=reader.prices(),
        agent_home=reader.parsed("agent-home", _one_of("private", "inherit")),
        sandbox=reader.parsed("sandbox", _one_of("auto", "bwrap", "none")),
        strict=reader.flag("strict"),
        offline=reader.flag("offline"),
        verify=not reader.flag("no-verify"),
        verifiers=_unique(reader.words("verifier"), "--reviewbench-verifier"),
        fail_on_miss=reader.flag("fail-on-miss"),
        retries=reader.parsed("retries", _retries),
        per_agent=reader.optional("per-agent", _positive_int),
        max_cost=reader.optional("max-cost", _above_0("USD")),
        max_minutes=reader.optional("max-minutes", _above_0("minutes")),
        dry_run=reader.flag("dry-run"),
        reveal_test=reader.flag("reveal-test"),
        gates=tuple(_gate(side, text) for side in SIDES for text in reader.words(f"fail-{side}")),
        baseline=reader.optional_path("baseline"),
        bounds=_bounds(reader),
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


def _connection(reader: Reader, arms: Sequence[ArmSpec], verifiers: Sequence[str]) -> Connection:
    """Of the agent llm; asked for on the command line, somebody must use it."""
    asked = any(spec.agent == LLM for spec in arms) or any(word.split(":")[1:2] == [LLM] for word in verifiers)
    for name in ("base-url", "auth-env"):
        if reader.on_command_line(name) and not asked:
            raise SettingsError(
                f"--reviewbench-{name}: for the agent {LLM} alone, and no arm or verifier of this session uses it; "
                "other agents have environment variables for this (docs/agents.md)"
            )
    return Connection(reader.optional("base-url", read_base_url), reader.optional("auth-env", read_variable))


def _bounds(reader: Reader) -> tuple[Bound, ...]:
    found = []
    for option, certain in (("fail-if", False), ("fail-if-certain", True)):
        for text in reader.words(option):
            try:
                found.append(read_bound(text, certain=certain))
            except ValueError as e:
                raise SettingsError(f"--reviewbench-{option}: {e}") from None
    if found and reader.optional_path("baseline") is None:
        raise SettingsError(
            f"--reviewbench-{found[0].text}: needs --reviewbench-baseline=RUN, the run to compare with"
        )
    return tuple(found)


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


def _retries(text: str) -> int:
    if not text.isdecimal() or int(text) > MOST_RETRIES:
        raise ValueError(f"expected a whole number from 0 to {MOST_RETRIES}, got {text!r}")
    return int(text)


def _above_0(unit: str) -> Callable[[str], float]:
    def parse(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = 0.0
        if not 0 < number <= 1e6:
            raise ValueError(f"expected {unit} above 0, got {text!r}")
        return number

    return parse


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
