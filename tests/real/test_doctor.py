"""`reviewbench doctor` on this machine, its registries asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_reviewbench.machine.check import Checkup
from tests.session.calls import reviewbench_apart


def test_what_doctor_calls_usable_on_this_machine_is(tmp_path: Path) -> None:
    done = reviewbench_apart(tmp_path, "doctor", "--json")
    assert done.stderr == ""
    made = json.loads(done.stdout)
    checks = {check["name"]: check for check in made["checks"]}
    assert done.returncode == (0 if made["usable"] else 1)
    assert made["schema"] == Checkup.__struct_defaults__[0]
    for name in ("python", "pytest", "pytest-json-report", "pytest-reviewbench", "pytest-xdist"):
        assert checks[name]["state"] == "usable", checks[name]
    for name in ("ruff", "pyrefly", "oxlint", "shellcheck"):  # the extra `test` brings them
        assert checks[name]["state"] == "usable", checks[name]
        assert checks[name]["version"][0].isdigit()
    for name in ("pip", "npm"):
        if "does not answer" in (checks[name]["detail"] or ""):
            pytest.skip(f"no registry here: {name}")
        assert checks[name]["state"] == "usable", checks[name]
    assert list(tmp_path.iterdir()) == []
