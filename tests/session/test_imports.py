"""Imported runs are runs: they are judged and reported as those of a session."""

from __future__ import annotations

import json
import os

import pytest

from tests.samples import HIT, OTHER, runs, write_acting_case, write_case, write_project
from tests.session import scripted_claude
from tests.session.calls import reviewbench


def test_imported_findings_are_judged_and_what_shows_no_change_is_said(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = pytester.path
    scripted_claude.install(folder / "bin")
    monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")
    write_project(folder, {})
    write_acting_case(folder / "corpus", "c0", "say []")
    write_case(folder / "corpus", "c1", patch=None, context={}, meta={"no_change": "nobody has it"})
    (folder / "theirs.json").write_text(json.dumps({"c0": [HIT, OTHER], "c1": [OTHER]}))
    assert reviewbench(folder, "import", "findings", "theirs.json", "--arm=theirs").returncode == 0
    (run,) = runs(folder)
    done = reviewbench(folder, "verify", run.name, "--sandbox=none")
    assert done.returncode == 1, done
    assert done.stdout.splitlines()[-1].startswith("1 reviews judged, 1 without verdicts, 1 sessions held")
    said = json.loads(reviewbench(folder, "report", run.name, "--json").stdout)
    assert said["arms"]["theirs"]["numbers"]["judged"] == 1
    assert said["unjudged"] == ["c1: no change to show: nobody has it"]
