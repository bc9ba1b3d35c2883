"""Programs that answer in a format of their own, in a session."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.answers.formats import DEFAULT, READERS
from pytest_reviewbench.contain.programs import find_program
from tests.samples import PATCH, records, report, write_case, write_project

PYTHON = "def last(items):\n    return item[len(items)]\n# end\n"
SHELL = "#!/bin/sh\ntarget=$1\nrm -r $target/*\n"

BUG = {"id": "b1", "file": "pkg/a.py", "match": "undefined name", "severity": "high"}
SHELL_BUG = {"id": "b1", "file": "in/run me.sh", "match": "quote to prevent", "severity": "high"}
SHELL_PATCH = (
    "--- a/in/run me.sh\n+++ b/in/run me.sh\n@@ -1,3 +1,3 @@\n #!/bin/sh\n target=$1\n-:\n+rm -r $target/*\n"
)
DOCS = Path(__file__).parent.parent.parent / "docs" / "arms.md"


def documented_arms() -> dict[str, Any]:
    """The arms of the example in docs/arms.md."""
    (example,) = re.findall(r"```toml\n(\[tool\.reviewbench\.arms\.ruff\].*?)```", DOCS.read_text(), re.DOTALL)
    made: dict[str, Any] = tomllib.loads(example)["tool"]["reviewbench"]["arms"]
    return made


def test_the_docs_have_an_example_of_every_format() -> None:
    assert {arm["format"] for arm in documented_arms().values()} == READERS.keys() - {DEFAULT}


@pytest.mark.skipif(
    not all(find_program(name) for name in ("ruff", "shellcheck")),
    reason="needs ruff and shellcheck: pip install 'pytest-reviewbench[tools]'",
)
def test_the_documented_analysers_are_read_in_their_own_formats(pytester: pytest.Pytester) -> None:
    corpus = pytester.path / "corpus"
    patch = PATCH.replace("+    return items[", "+    return item[")
    write_case(corpus, "py-1", bugs=[BUG], patch=patch, context={"pkg/a.py": PYTHON})
    context = {"in/run me.sh": SHELL}
    write_case(corpus, "sh-1", bugs=[SHELL_BUG], lang="shell", patch=SHELL_PATCH, context=context)
    arms = {name: documented_arms()[name] for name in ("ruff", "ruff-rd", "shellcheck")}
    write_project(pytester.path, arms)
    result = pytester.runpytest_inprocess(*(f"--reviewbench-arm={name}" for name in arms))
    result.assert_outcomes(passed=3, skipped=3)
    numbers = {name: arm["numbers"] for name, arm in report(pytester.path)["arms"].items()}
    assert {name: (n["ok"], n["bugs_hit"]) for name, n in numbers.items()} == dict.fromkeys(arms, (1, 1))


def test_what_is_not_in_the_asked_format_is_unparsable_and_a_half_read_one_says_so(
    pytester: pytest.Pytester,
) -> None:
    write_case(pytester.path / "corpus", "py-1")
    said = '{"diagnostics": [{"message": "off by one", "location": {"path": "pkg/a.py"}}, {}]}'
    argv = ["python3", "-c", f"print({said!r})"]
    arm = {"family": "command", "argv": argv, "format": "rdjson"}
    write_project(pytester.path, {"arm": arm, "other": {**arm, "format": "sarif"}})
    pytester.runpytest_inprocess("--reviewbench-arm=arm").assert_outcomes(passed=1)
    stored = records(pytester.path)["py-1"]
    assert (stored["status"], stored["warnings"]) == ("ok", ["diagnostic 1: no message, left out"])
    result = pytester.runpytest_inprocess("--reviewbench-arm=other")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*unparsable*expected a SARIF log*"])


@pytest.mark.parametrize(
    ("word", "said"),
    [("sarff", "*format: 'sarff' is not known; did you mean 'sarif'?"), ("xml", "*known: json, sarif, rdjson,*")],
)
def test_a_format_that_is_not_known_is_one_line(pytester: pytest.Pytester, word: str, said: str) -> None:
    write_case(pytester.path / "corpus", "py-1")
    write_project(pytester.path, {"arm": {"family": "command", "argv": ["true"], "format": word}})
    result = pytester.runpytest_inprocess("--reviewbench-arm=arm")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert len([line for line in result.errlines if line]) == 1
    result.stderr.fnmatch_lines([f"ERROR: {said}"])
