from __future__ import annotations

import pytest

from pytest_reviewbench.arms.analysers import severity


@pytest.mark.parametrize(
    ("code", "expected"),
    [("F821", "high"), ("invalid-syntax", "high"), ("PLE0604", "high"), ("B015", "high"), ("S605", "high"),
     ("B006", "medium"), ("F811", "medium"), ("PLW0127", "medium"), ("S3010", "medium"), ("E999", "medium")],
)  # fmt: skip
def test_ruff(code: str, expected: str) -> None:
    assert severity.of_ruff(code) == expected


@pytest.mark.parametrize(
    ("rule", "level", "message", "expected"),
    [
        ("unbound-name", "error", "`x` may be uninitialized", "high"),
        ("parse-error", "error", "Parse error: Expected `)`", "high"),
        ("missing-attribute", "error", "No attribute `jion` in module `os.path`", "high"),
        ("missing-attribute", "error", "`Pen` has no attribute `colour`. Did you mean `color`?", "high"),
        ("missing-attribute", "error", "Object of class `Pen` has no attribute `ink`", "medium"),
        ("missing-attribute", "error", "Object of class `NoneType` has no attribute `group`", "low"),
        ("bad-argument-type", "error", "`int | None` is not assignable to parameter `n`", "low"),
        ("bad-argument-type", "error", "`NonEmpty` is not assignable to parameter `n`", "medium"),
        ("bad-argument-type", "warn", "`str` is not assignable to parameter `n`", "low"),
    ],
)
def test_pyrefly(rule: str, level: str, message: str, expected: str) -> None:
    assert severity.of_pyrefly(rule, level, message) == expected


def test_oxlint() -> None:
    codes = ("eslint(no-undef)", "parse-error", "oxc(const-comparisons)")
    assert [severity.of_oxlint(code) for code in codes] == ["high", "high", "medium"]


def test_shellcheck() -> None:
    said = [("SC1073", "error"), ("SC2154", "warning"), ("SC2086", "info"), ("SC2162", "info"), ("SC2006", "style")]
    assert [severity.of_shellcheck(*one) for one in said] == ["high", "medium", "medium", "low", "low"]
    assert severity.of_shellcheck("SC9999", "a new word") == "low"
