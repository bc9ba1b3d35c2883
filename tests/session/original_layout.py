"""A corpus as the original benchmark stored them, and reviewers whose every answer is written down here.

A case is found by the word in its patch: no reviewer learns a case id. The program keeps count of its calls in a
folder, so that it can answer the first and the second repetition differently.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.samples import write_project

CASES: Mapping[str, Mapping[str, Any]] = {
    "py-01": {
        "word": "alder",
        "files": ["src/wheel.py"],
        "bugs": [
            {
                "file": "wheel.py",
                "severity": "critical",
                "match": r"div\w* by zero",
                "example": "a division by zero",
            },
            {"severity": "high", "match": "never closed", "example": "the file is never closed"},
        ],
    },
    "py-02": {
        "word": "birch",
        "files": ["src/read.py", "src/write.py"],
        "bugs": [{"severity": "medium", "match": "race", "example": "a race between two writers"}],
    },
    "py-03": {"word": "cedar", "files": ["src/wheel.py"], "bugs": []},
    "py-04": {
        "word": "dogwood",
        "files": ["src/wheel.py"],
        "bugs": [{"file": "src/wheel.py", "severity": "low", "match": "off.by.one", "example": "off-by-one"}],
    },
    "py-05": {"word": "elder", "files": ["src/wheel.py"], "bugs": []},
    "js-01": {
        "word": "fir",
        "files": ["lib/http.js"],
        "bugs": [{"severity": "high", "match": "not awaited", "example": "the promise is not awaited"}],
    },
    "js-02": {
        "word": "gum",
        "files": ["lib/http.js"],
        "bugs": [
            {"id": "leak", "file": "lib/http.js", "severity": "high", "match": "leak", "example": "a leak"},
            {"file": "http.js", "match": "listener", "example": "the listener stays", "lesson": "unknown key"},
        ],
    },
    "js-03": {
        "word": "hazel",
        "files": ["lib/http.js"],
        "bugs": [{"severity": "medium", "match": "NaN", "example": "compares with NaN"}],
    },
    "js-04": {"word": "ivy", "files": ["lib/http.js"], "bugs": []},
    "js-05": {
        "word": "juniper",
        "files": ["lib/http.js"],
        "bugs": [{"severity": "critical", "match": "injection", "example": "an SQL injection"}],
    },
    "js-06": {
        "word": "larch",
        "files": ["lib/http.js"],
        "bugs": [{"severity": "critical", "match": "overflow", "example": "an overflow"}],
    },
    "sh-01": {
        "word": "kapok",
        "files": ["bin/run.sh"],
        "bugs": [{"severity": "high", "match": "unquoted", "example": "unquoted variable"}],
    },
}

NOISE = {"file": "src/wheel.py", "line": 1, "text": "this name could be longer"}
PROSE = {"prose": "I have looked at the change and it is fine."}

ANSWERS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "alder": [
        {
            "findings": [
                {"file": "wheel.py", "line": 2, "text": "Division  by\nZERO, and the handle is never closed"},
                {"file": "b/src/wheel.py", "line": "2", "text": "divides: div by zero"},
                {"file": "src/wheel.py", "line": "L2-3", "text": "DIVISION BY ZERO when empty"},
                NOISE,
            ]
        },
        {
            "findings": [
                {"file": "./src/wheel.py", "line": 2, "text": "division by zero"},
                {"file": "src\\wheel.py", "line": 3, "text": "division by zero"},
            ]
        },
    ],
    "birch": [
        {"findings": [NOISE, {"file": None, "text": "two writers may interleave"}]},
        {"findings": [{"text": "a race: two writers may interleave"}]},
    ],
    "cedar": [{"findings": [NOISE, {**NOISE, "line": 3}]}, {"findings": []}],
    "dogwood": [PROSE, {"findings": [{"file": "src/wheel.py", "line": 2, "text": "an off by one"}]}],
    "elder": [PROSE, {"findings": [NOISE]}],
    "fir": [{"exit": 3}, {"findings": []}],
    "gum": [
        {"sleep": 300},
        {
            "findings": [
                {"file": "lib/http.js", "line": 2, "text": "each listener is a leak"},
                {"file": "test/http.js", "line": 2, "text": "a leak in another file"},
                {"file": "lib/http.js", "line": 2, "text": "prefer const"},
            ]
        },
    ],
    "hazel": [
        {"kill": True},
        {
            "findings": [
                {"file": "lib/http.js", "line": 2, "text": "NaN is never equal to NaN"},
                {"file": "lib/http.js", "line": 2, "text": "nan again, in other words"},
            ]
        },
    ],
    "ivy": [{"findings": [{"file": "lib/http.js", "line": 1, "text": "prefer const"}]}] * 2,
    "juniper": [{"exit": 1}, {"exit": 1}],
    "larch": [PROSE, {"prose": '[{"file": "lib/http.js", "text": "an overflow'}],
    "kapok": [],
}

PROGRAM = """\
import json, os, signal, sys, time
patch, answers, state = sys.argv[1:]
shown = open(patch).read()
answers = json.load(open(answers))
word = next(word for word in answers if "word: " + word in shown)
with open(os.path.join(state, word), "a") as calls:
    calls.write("x")
said = answers[word][os.path.getsize(os.path.join(state, word)) - 1]
if "kill" in said:
    above = os.getpid()
    for _ in range(3):  # its minder, the supervisor, the harness
        above = int(open(f"/proc/{above}/stat").read().rpartition(")")[2].split()[1])
    os.kill(above, signal.SIGKILL)
    time.sleep(60)
time.sleep(said.get("sleep", 0))
print(said["prose"] if "prose" in said else json.dumps(said.get("findings", [])))
sys.exit(said.get("exit", 0))
"""

PRICED = '''\
"""A third party's arm that says what it cost."""

from pytest_reviewbench.arms.protocol import Answer, NotAttempted
from pytest_reviewbench.errors import ReviewFailed
from pytest_reviewbench.model import Usage

HIT = {"file": "src/wheel.py", "line": 2, "text": "division by zero"}
SAID = {
    "alder": Answer(
        [HIT],
        usage=Usage(input_tokens=100, output_tokens=20, turns=3),
        cost_usd=0.25,
        cost_source="reported",
    ),
    "birch": Answer(
        [{"text": "a race"}],
        unparsable="cut",
        usage=Usage(input_tokens=200),
        cost_usd=0.5,
        cost_source="reported",
    ),
    "cedar": Answer(),
    "elder": Answer(usage=Usage(turns=2), cost_usd=0.1, cost_source="priced"),
}


class Priced:
    name = "priced"
    keys = required = frozenset()
    scope = "file"
    versions = {}

    def build(self, spec, host):
        return self

    def answer(self, question):
        shown = question.patch.read_text()
        for word, said in SAID.items():
            if "word: " + word in shown:
                return said
        if "word: fir" in shown:
            raise ReviewFailed("api", "overloaded")
        raise NotAttempted("only the first few")


def pytest_reviewbench_families():
    return [Priced()]
'''


def write_all(folder: Path, answers: Mapping[str, Sequence[Mapping[str, Any]]] = ANSWERS) -> None:
    """The corpus, the program and the project that reviews with the arms `priced`, `silent` and `table`."""
    for case, told in CASES.items():
        _write_case(folder / "corpus" / case, case, told)
    _write_case(folder / "corpus" / "py-99", "py-99", {**CASES["py-01"], "word": "yew"})
    index = [{"id": case, "split": "test", "url": f"https://example.org/{case}"} for case in [*CASES, "py-98"]]
    index.append({"id": "py-99", "split": "train", "url": "https://example.org/train"})
    (folder / "corpus" / "manifest.json").write_text(json.dumps(index))
    (folder / "answers.json").write_text(json.dumps(answers))
    (folder / "program.py").write_text(PROGRAM)
    (folder / "calls").mkdir()
    (folder / "conftest.py").write_text(PRICED)
    places = [str(folder / "answers.json"), str(folder / "calls")]
    write_project(
        folder,
        {
            "table": {
                "family": "command",
                "argv": ["python3", str(folder / "program.py"), "{patch}", *places],
                "lang": ["python", "javascript"],
            },
            "silent": {"family": "command", "argv": ["python3", "-c", "print([])"], "lang": "python"},
        },
    )


def _write_case(home: Path, case: str, told: Mapping[str, Any]) -> None:
    (home / "context").mkdir(parents=True)
    patch = ""
    for path in told["files"]:
        name = path.rpartition("/")[2]
        (home / "context" / name).write_text(f"one\n# word: {told['word']}\nthree\n")  # flat, by basename
        patch += f"--- a/{path}\n+++ b/{path}\n@@ -1,3 +1,3 @@\n one\n-two\n+# word: {told['word']}\n three\n"
    (home / "change.patch").write_text(patch)
    bugs = [{"bug": "what is wrong", **bug} for bug in told["bugs"]]
    (home / "ground-truth.json").write_text(json.dumps({"bugs": bugs}))
    languages = {"py": "python", "js": "javascript", "sh": "shell"}
    meta = {
        "url": f"https://example.org/{case}",
        "licence": "MIT",
        "lang": languages[case[:2]],
        "files": told["files"],
        "label": "what went wrong",
        "fix_sha": "0" * 40,
        "mined_by": {"unknown": ["key"]},
    }
    (home / "meta.json").write_text(json.dumps(meta))
