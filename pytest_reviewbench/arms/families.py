"""Which families there are, and arms built from what the user asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_reviewbench.arm_spec import ArmSpec, base_of
from pytest_reviewbench.arms.command import CommandFamily
from pytest_reviewbench.arms.gap import GapFamily
from pytest_reviewbench.arms.protocol import BuiltArm, Family, Host
from pytest_reviewbench.arms.session_arm import SessionFamily
from pytest_reviewbench.arms.tools import ToolsFamily
from pytest_reviewbench.errors import SettingsError


def collect_families(added: Iterable[Family]) -> dict[str, Family]:
    """The families of this package and those that other packages add, by name. Raises for a name taken twice."""
    families: dict[str, Family] = {}
    sessions = (SessionFamily("plain", skilled=False), SessionFamily("perun", skilled=True))
    shipped: tuple[Family, ...] = (ToolsFamily(), CommandFamily(), *sessions, GapFamily())
    for family in (*shipped, *added):
        if family.name in families:
            one, other = (type(f).__module__ for f in (families[family.name], family))
            raise SettingsError(f"the arm family {family.name!r} comes from {one} and from {other}; remove one")
        families[family.name] = family
    return families


def build_arms(specs: Sequence[ArmSpec], families: dict[str, Family], host: Host) -> list[BuiltArm]:
    """One arm per spec. Raises `SettingsError` for an unknown family and for keys it does not take or lacks."""
    builders = {base: spec.name for spec in specs if (base := base_of(spec)) is not None}
    return [BuiltArm(spec, _family(spec, families, builders.get(spec.name)).build(spec, host)) for spec in specs]


def _family(spec: ArmSpec, families: dict[str, Family], builder: str | None) -> Family:
    """The family of `spec`. `builder` is an arm that builds on it (None: there is none)."""
    family = families.get(spec.family)
    if family is None:
        ready = ", ".join(sorted(name for name, f in families.items() if not f.required))
        if spec.family == spec.name and spec.given():
            raise SettingsError(
                f'[tool.reviewbench.arms.{spec.name}] family: missing; write family = "command" '
                f"(known: {', '.join(sorted(families))})"
            )
        if spec.family == spec.name:
            where = "--reviewbench-arm" if builder is None else f"[tool.reviewbench.arms.{builder}] base"
            raise SettingsError(
                f"{where}: there is no arm {spec.name!r}; ready to use: {ready}; others are defined in "
                f"[tool.reviewbench.arms.{spec.name}] of pyproject.toml"
            )
        raise SettingsError(
            f"[tool.reviewbench.arms.{spec.name}] family: no family {spec.family!r}; known: "
            f"{', '.join(sorted(families))}"
        )
    given = spec.given().keys()
    for key in sorted(given - family.keys):
        raise SettingsError(
            f"[tool.reviewbench.arms.{spec.name}] {key}: family {family.name!r} does not take it; "
            f"it takes {', '.join(sorted(family.keys)) or 'no keys'}"
        )
    for key in sorted(family.required - given):
        raise SettingsError(f"[tool.reviewbench.arms.{spec.name}] {key}: family {family.name!r} needs it")
    return family
