"""How grave a complaint is, in one table for all analysers. docs/analysers.md shows it to users.

`high`: what is named breaks when it runs. `medium`: likely wrong. `low`: often deliberate. No analyser knows
enough to say `critical`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pytest_reviewbench.model import Severity

RUFF_HIGH = re.compile(
    r"invalid-syntax|F82[123]|PLE\d+|B01[56]|B023|S202|S30[127]|S31[3-9]|S50[16]|S60[25]",
)
PYREFLY_HIGH = frozenset({"bad-raise", "missing-module-attribute", "parse-error", "unbound-name", "unknown-name"})
PYREFLY_SURE = re.compile(r"No attribute .* in module|Did you mean")
NONE = re.compile(r"\bNone(Type)?\b")
OXLINT_HIGH = frozenset({"eslint(no-undef)", "parse-error"})
SHELLCHECK_LEVELS: Mapping[str, Severity] = {"error": "high", "warning": "medium", "info": "low", "style": "low"}


def of_ruff(code: str) -> Severity:
    return "high" if RUFF_HIGH.fullmatch(code) else "medium"


def of_pyrefly(rule: str, level: str, message: str) -> Severity:
    """`level` is pyrefly's own word: only an `error` can be more than low."""
    if rule in PYREFLY_HIGH:
        return "high"
    # Nearly always a value that the code's author knows not to be None there.
    if level != "error" or NONE.search(message):
        return "low"
    return "high" if rule == "missing-attribute" and PYREFLY_SURE.search(message) else "medium"


def of_oxlint(code: str) -> Severity:
    return "high" if code in OXLINT_HIGH else "medium"


def of_shellcheck(code: str, level: str) -> Severity:
    """SC2086 (an unquoted variable) is `info` to shellcheck and the most common real defect of scripts."""
    return "medium" if code == "SC2086" else SHELLCHECK_LEVELS.get(level, "low")
