"""What the analysers print, as findings: small samples of their formats, and output that is none."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.arms.analysers.oxlint import Oxlint
from pytest_reviewbench.arms.analysers.protocol import Analyser, Found, Job, Report
from pytest_reviewbench.arms.analysers.pyrefly import Pyrefly
from pytest_reviewbench.arms.analysers.rendering import KEPT_LIMIT, as_items, by_reason, kept_output
from pytest_reviewbench.arms.analysers.ruff import Ruff
from pytest_reviewbench.arms.analysers.shellcheck import Shellcheck
from pytest_reviewbench.arms.analysers.sources import Source
from pytest_reviewbench.contain.process import Completed
from pytest_reviewbench.errors import ReviewFailed


def completed(stdout: bytes, exit_code: int = 0, stderr: bytes = b"", **changes: Any) -> Completed:
    values: dict[str, Any] = {
        "argv": ("x",), "exit_code": exit_code, "timed_out": False, "stdout": stdout, "stderr": stderr,
        "stdout_total": len(stdout), "stderr_total": len(stderr), "seconds": 1.0,
    }  # fmt: skip
    return Completed(**values | changes)


def analyse(
    analyser: Analyser, folder: Path, files: Mapping[str, str], *outputs: Completed
) -> tuple[Report, list[list[str]]]:
    """The report of `analyser` when its runs end like `outputs`, and the arguments of each run."""
    tree, home = folder / "tree", folder / "home"
    for place in (tree, home):
        place.mkdir()
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    calls: list[list[str]] = []
    pending = iter(outputs)

    def execute(arguments: Sequence[str]) -> Completed:
        calls.append(list(arguments))
        return next(pending)

    sources = [Source(path, text.encode()) for path, text in files.items()]
    return analyser.analyse(Job(analyser.name, tree, home, sources, execute)), calls


def ruff_record(folder: Path, path: str, code: str | None, row: int, message: str) -> dict[str, Any]:
    return {
        "cell": None, "code": code, "filename": f"{folder}/tree/{path}", "fix": None, "message": message,
        "location": {"row": row, "column": 5}, "end_location": {"row": row + 90, "column": 1},
    }  # fmt: skip


def test_ruff(tmp_path: Path) -> None:
    output = [
        ruff_record(tmp_path, "a.py", "F821", 3, "Undefined name `x`"),
        ruff_record(tmp_path, "a.py", None, 4, "Expected `)`"),
        ruff_record(tmp_path, "b.py", "E902", 1, "stream did not contain valid UTF-8"),
    ]
    report, [arguments] = analyse(
        Ruff(), tmp_path, {"a.py": "", "b.py": ""}, completed(json.dumps(output).encode(), 1)
    )
    assert report.found == [
        Found("a.py", 3, 5, "F821", "Undefined name `x`", "high"),
        Found("a.py", 4, 5, "invalid-syntax", "Expected `)`", "high"),
    ]
    assert report.unread == {"b.py": "stream did not contain valid UTF-8"}
    assert str(tmp_path) not in json.dumps(report.output)
    assert {"--isolated", "--ignore-noqa", "--no-cache"} <= set(arguments)
    assert arguments[-3:] == ["--", "./a.py", "./b.py"]


def test_pyrefly(tmp_path: Path) -> None:
    record = {
        "line": 2, "column": 7, "stop_line": 9, "stop_column": 1, "path": "pkg/a.py", "name": "bad-raise",
        "description": f"Long. Searched in {tmp_path}/tree", "concise_description": "Short.", "severity": "error",
    }  # fmt: skip
    report, [arguments] = analyse(
        Pyrefly(), tmp_path, {"pkg/a.py": ""}, completed(json.dumps({"errors": [record]}).encode(), 1)
    )
    assert report.found == [Found("pkg/a.py", 2, 7, "bad-raise", "Short.", "high")]
    assert report.output[0]["description"] == "Long. Searched in ."
    assert arguments[:3] == ["check", "-c", str(tmp_path / "home" / "pyrefly.toml")]
    assert (tmp_path / "home" / "pyrefly.toml").read_bytes() == b""


def oxlint_output(files: int, *records: Mapping[str, Any], before: str = "") -> bytes:
    return (before + json.dumps({"diagnostics": records, "number_of_files": files})).encode()


def oxlint_record(path: str, code: str | None, line: int, message: str) -> dict[str, Any]:
    spans = [{"label": "here", "span": {"offset": 1, "length": 2, "line": line, "column": 4}}]
    named = {} if code is None else {"code": code}
    return {"message": message, "severity": "error", "filename": path, "labels": spans, **named}


def test_oxlint(tmp_path: Path) -> None:
    output = oxlint_output(
        1,
        oxlint_record("a.js", "eslint(no-undef)", 2, "'jq' is not defined."),
        oxlint_record("a.js", "eslint(no-undef)", 3, "'typo' is not defined."),
        oxlint_record("a.js", None, 4, "Expected `)`"),
    )
    files = {"a.js": "/* global jq */\n// eslint-disable-line\n"}
    report, [arguments] = analyse(Oxlint(), tmp_path, files, completed(output, 1))
    assert report.found == [
        Found("a.js", 3, 4, "eslint(no-undef)", "'typo' is not defined.", "high"),
        Found("a.js", 4, 4, "parse-error", "Expected `)`", "high"),
    ]
    assert len(report.output) == 3
    assert "eslint-xisable" in (tmp_path / "tree" / "a.js").read_text()
    settings = json.loads((tmp_path / "home" / "oxlint.json").read_text())
    assert settings["rules"]["eslint/no-undef"] == "error"
    assert arguments[-2:] == ["--", "./a.js"]


def test_oxlint_is_asked_file_by_file_when_it_did_not_read_all(tmp_path: Path) -> None:
    finding = oxlint_record("b.js", "oxc(const-comparisons)", 1, "Both sides are the same")
    report, calls = analyse(
        Oxlint(),
        tmp_path,
        {"a.js": "", "b.js": "", "c.js": ""},
        completed(oxlint_output(1, finding)),
        completed(oxlint_output(0, before="No files found to lint.\n"), 1),
        completed(oxlint_output(1, finding)),
        completed(oxlint_output(1, {"message": "Failed to open file", "severity": "error", "labels": []}), 1),
    )
    assert report.unread == {"a.js": "it does not take it for a file to lint", "c.js": "Failed to open file"}
    assert [found.file for found in report.found] == ["b.js"]
    assert [call[call.index("--") + 1 :] for call in calls] == [
        ["./a.js", "./b.js", "./c.js"], ["./a.js"], ["./b.js"], ["./c.js"],
    ]  # fmt: skip


def comment(path: str, code: int, level: str, line: int = 1) -> dict[str, Any]:
    return {
        "file": path, "line": line, "endLine": line, "column": 2, "endColumn": 3, "level": level, "code": code,
        "message": f"said {code}", "fix": None,
    }  # fmt: skip


def test_shellcheck_runs_once_per_dialect(tmp_path: Path) -> None:
    files = {"a.sh": "echo\n", "b.bash": "echo\n", "c": "#!/bin/ksh\n", "d": "#!/bin/dash\n"}
    report, calls = analyse(
        Shellcheck(),
        tmp_path,
        files,
        completed(json.dumps({"comments": [comment("a.sh", 2086, "info")]}).encode(), 1),
        completed(b'{"comments": []}'),
        completed(
            json.dumps({"comments": [comment("c", 1071, "error"), comment("d", 2154, "warning")]}).encode(), 1
        ),
    )
    assert [call[4:] for call in calls] == [
        [calls[0][4], "-s", "sh", "--", "./a.sh"],
        [calls[0][4], "-s", "bash", "--", "./b.bash"],
        [calls[0][4], "--", "./c", "./d"],
    ]
    assert report.found == [
        Found("a.sh", 1, 2, "SC2086", "said 2086", "medium"),
        Found("d", 1, 2, "SC2154", "said 2154", "medium"),
    ]
    assert report.unread == {"c": "not a dialect that shellcheck reads (SC1071)"}


FILES = {"ruff": "a.py", "pyrefly": "a.py", "oxlint": "a.js", "shellcheck": "a.sh"}


@pytest.mark.parametrize("analyser", [Ruff(), Pyrefly(), Oxlint(), Shellcheck()], ids=lambda a: str(a.name))
@pytest.mark.parametrize(
    ("done", "kind", "words"),
    [
        (completed(b"", 1, b"it panicked"), "analyser", "printed no JSON (exit code 1): it panicked"),
        (completed(b"", 0), "analyser", "printed no JSON (exit code 0): output: not JSON"),
        (completed(b"[]", 2, b"error: no such option"), "analyser", "exit code 2: error: no such option"),
        (completed(b"", -11), "analyser", "exit code -11"),
        (completed(b'[{"a": ', 1, stdout_total=10**9), "analyser", "printed 1,000,000,000 bytes"),
        (completed(b'{"comments": [], "errors": [], "diagnosti', 1), "analyser", "printed no JSON"),
        (completed(b'[{"code": 7}]'), "analyser", "printed JSON of an unknown form"),
        (completed(b'{"message": "hello"}'), "analyser", "printed JSON of an unknown form"),
        (completed(b"[" * 100_000), "analyser", "printed no JSON"),
        (completed(b"[]", -9, timed_out=True), "timeout", "was stopped after 1 s"),
    ],
)  # fmt: skip
def test_an_analyser_that_fails_is_never_an_empty_review(
    tmp_path: Path, analyser: Analyser, done: Completed, kind: str, words: str
) -> None:
    with pytest.raises(ReviewFailed) as failed:
        analyse(analyser, tmp_path, {FILES[analyser.name]: ""}, done)
    assert failed.value.kind == kind
    assert str(failed.value).startswith(analyser.name)
    if not (analyser.name == "oxlint" and done.stdout.startswith(b"[")):  # it is read from the first brace
        assert words in str(failed.value)


def test_a_report_on_another_file_is_not_dropped_in_silence(tmp_path: Path) -> None:
    output = json.dumps([ruff_record(tmp_path, "other.py", "F821", 1, "m")]).encode()
    with pytest.raises(ReviewFailed, match=r"not given: other\.py"):
        analyse(Ruff(), tmp_path, {"a.py": ""}, completed(output, 1))


def test_one_rule_at_one_line_is_one_finding() -> None:
    found = [
        Found("b.py", 1, 1, "R", "alone", "low"),
        *(Found("a.py", 7, column, "R", f"{column}\n  is bad", "medium") for column in (9, 3, 4, 5, 6, 8)),
        Found("a.py", 7, 3, "R", "3 is bad", "high"),
        Found("a.py", 7, 3, "Q", "other rule", "low"),
    ]
    items = list(as_items("tool", found))
    assert [(item["file"], item["line"], item["rule"], item["severity"]) for item in items] == [
        ("a.py", 7, "Q", "low"), ("a.py", 7, "R", "high"), ("b.py", 1, "R", "low"),
    ]  # fmt: skip
    assert items[1]["text"] == "tool R: 3 is bad; 4 is bad; 5 is bad; 6 is bad; 8 is bad; and 1 more"
    assert items == list(as_items("tool", reversed(found)))
    assert all("end_line" not in item for item in items)


def test_kept_output_is_sorted_and_bounded() -> None:
    records = [{"n": n, "text": "x" * 1000} for n in range(3000)]
    kept = kept_output(Report(output=records))
    assert kept == kept_output(Report(output=records[::-1]))
    assert kept["left_out"] == 3000 - len(kept["records"]) > 0
    assert len(json.dumps(kept["records"])) < KEPT_LIMIT * 1.01


def test_reasons_name_few_files() -> None:
    unread = [(f"{n}.md", "no") for n in range(7)] + [("a.py", "binary")]
    assert by_reason(unread) == ["a.py: binary", "0.md, 1.md, 2.md, 3.md, 4.md and 2 more: no"]
