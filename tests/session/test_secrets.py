"""Secrets that a child knows and prints, and every place where a session says or stores something."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.samples import HIT, records, report, runs, write_case, write_project

PLANTED = 'Zan"zibar\\77/val=ue'
DECODED = PLANTED.encode()
SHAPED = "ghp_" + "Zb3D5fG7hJ9k" * 3
PIN = "Zw7qL0pX"
HINTS = (
    PLANTED,
    json.dumps(PLANTED)[1:-1],
    quote(PLANTED),
    quote(PLANTED, safe=""),
    SHAPED,
    PIN,
    "zibar",
    "b3D5fG7",
)
"""No output may hold one of these; the last two are parts that any form of the secrets would have."""

TALKER = """\
import json, os, sys, urllib.parse
planted, shaped, way = os.environ_planted, os.environ_shaped, sys.argv[1]
escaped = "".join("\\\\u%04x" % ord(c) for c in planted)
hit = json.loads(sys.argv[2])
if way == "say":
    print("[" + json.dumps(hit) + ',{"text": "the key ' + escaped + ' is shown", "file": "pkg/a.py", "line": 1},')
    found = [
        {"text": f"one {planted} and {shaped}, {urllib.parse.quote(planted)}", "file": f"pkg/{planted}.py"},
        {"text": "x" * 39_990 + shaped, "tool": planted, "rule": f"R-{shaped}", "file": f"pkg/{shaped}.py"},
        {"text": "fields", "line": f"line {planted}", "severity": shaped, "end_line": planted, planted: planted},
        {"text": "\\x00".join(planted) + " " + "\\x00".join(shaped)},
    ]
    print(json.dumps(found)[1:])
elif way == "die":
    sys.stderr.write(planted + " " + "x" * 270 + shaped + " " + planted[:9])
    sys.stderr.write("".join(planted[9:]))
    sys.exit(3)
elif way == "babble":
    print(f"no JSON: {planted}", f"sent with Authorization: Bearer {shaped}")
    sys.stderr.write(planted + shaped)
elif way == "twice":
    print('[{"' + "k" * 70 + escaped + '": 1, "' + "k" * 70 + escaped + '": 2}]')
"""


def talker(folder: Path, way: str) -> dict[str, Any]:
    """An arm whose program knows the secrets, as a program that has its own settings would."""
    program = folder / "talker.py"
    known = TALKER.replace("os.environ_planted", repr(PLANTED)).replace("os.environ_shaped", repr(SHAPED))
    program.write_text(known)
    return {"family": "command", "argv": ["python3", str(program), way, json.dumps(HIT), f"--pin={PIN}", SHAPED]}


@pytest.mark.parametrize("mode", [(), ("-n", "2")], ids=["in flight", "xdist"])
def test_no_secret_that_a_child_prints_is_stored_or_shown(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, mode: tuple[str, ...]
) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", PLANTED)
    monkeypatch.setenv("DATABASE_URL", f"postgres://bob:{PIN}@db.example/x")
    write_case(pytester.path / "corpus", "py-1")
    project, work = pytester.mkdir("project"), pytester.path
    write_project(work, {way: talker(project, way) for way in ("say", "die", "babble", "twice")})
    arms = [f"--reviewbench-arm={way}" for way in ("say", "die", "babble", "twice")]
    result = pytester.runpytest_subprocess(
        *arms,
        "-vv",
        "-rA",
        "--tb=long",
        "--junitxml=out.xml",
        "--json-report",
        "--json-report-file=out.json",
        *mode,
    )
    result.assert_outcomes(passed=1, failed=3)
    written = [path for path in work.rglob("*") if path.is_file() and path != work / "pyproject.toml"]
    written = [path for path in written if project not in path.parents]
    assert {"out.xml", "out.json", "report.json", "manifest.json", "py-1.txt"} <= {path.name for path in written}
    texts = {str(path): path.read_text(errors="replace") for path in written}
    texts["terminal"] = f"{result.stdout}{result.stderr}"
    for name, text in texts.items():
        unescaped = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text)
        assert [hint for hint in HINTS if hint in text or hint in unescaped] == [], name
    assert base64.b64encode(DECODED).decode()[:12] not in "".join(texts.values())

    numbers = report(work)["arms"]["say"]["numbers"]
    assert (numbers["recall_strict"], numbers["findings"]) == (1.0, 6)  # the review is intact
    by_arm = {run.name.partition("-")[0]: run for run in runs(work)}
    review = json.loads((by_arm["say"] / "reviews" / "py-1.json").read_text())
    texts_found = [finding["text"] for finding in review["findings"]]
    assert texts_found[0] == HIT["text"]
    assert texts_found[1] == "the key [redacted] is shown"
    assert texts_found[2] == "one [redacted] and [redacted], [redacted]"
    assert texts_found[3] == "x" * 39_990 + "[redacted]"
    assert texts_found[5] == "[redacted] [redacted]"
    assert [finding["file"] for finding in review["findings"][2:4]] == ["pkg/[redacted].py", "pkg/[redacted].py"]
    assert (review["findings"][3]["tool"], review["findings"][3]["rule"]) == ("[redacted]", "R-[redacted]")
    died = json.loads((by_arm["die"] / "reviews" / "py-1.json").read_text())["error"]
    assert died["kind"] == "exit"
    assert died["message"].endswith("x" * 100 + "[redacted] [redacted]")
    answer = json.loads((by_arm["say"] / "answers" / "py-1.txt").read_text())
    assert len(answer) == 6
    manifest = json.loads((by_arm["say"] / "manifest.json").read_text())
    assert manifest["redacted"] == ["argv"]
    assert manifest["arguments"][-2:] == ["--pin=[redacted]", "[redacted]"]


def test_a_settings_error_does_not_repeat_the_key_that_it_is_about(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", PLANTED)
    write_case(pytester.path / "corpus", "py-1")
    write_project(pytester.path, {"a": {"family": "command", "argv": [f"no-{SHAPED}", PLANTED, 7]}})
    result = pytester.runpytest_subprocess("--reviewbench-arm=a")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: *argv: expected a list of strings, got *redacted*redacted*"])
    assert not [hint for hint in HINTS if hint in f"{result.stdout}{result.stderr}"]


def test_what_an_arm_prints_or_logs_in_this_process_is_shown_without_secrets(pytester: pytest.Pytester) -> None:
    write_case(pytester.path / "corpus", "py-1")
    write_project(pytester.path, {})
    pytester.makepyfile(
        talking=f"""
        import logging

        class Family:
            name, scope, versions = "talking", "file", {{"it": {SHAPED!r}}}
            keys = required = frozenset()

            def build(self, spec, host):
                return self

            def answer(self, question):
                print("printed", {SHAPED!r})
                logging.getLogger("talking").warning("logged %s", {SHAPED!r})
                raise RuntimeError("raised " + {SHAPED!r})

        def pytest_reviewbench_families():
            return [Family()]
        """
    )
    result = pytester.runpytest_subprocess(
        "-p",
        "talking",
        "--reviewbench-arm=talking",
        "-rA",
        "--junitxml=out.xml",
        "-o",
        "junit_logging=all",
        "-n",
        "1",
    )
    assert result.ret == 1
    result.stdout.fnmatch_lines(["printed [[]redacted[]]", "*logged [[]redacted[]]", "*raised [[]redacted[]]"])
    assert records(pytester.path)["py-1"]["error"]["message"] == "RuntimeError: raised [redacted]"
    (run,) = runs(pytester.path)
    assert json.loads((run / "manifest.json").read_text())["versions"] == {"it": "[redacted]"}
    assert SHAPED not in f"{result.stdout}{(pytester.path / 'out.xml').read_text()}"
