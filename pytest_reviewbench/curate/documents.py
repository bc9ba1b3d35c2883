"""The files of a new case: what is known of it, and what somebody must still write."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from pytest_reviewbench.answers.normalise import SEVERITY_WORDS
from pytest_reviewbench.corpus.index import OPEN
from pytest_reviewbench.corpus.layout import META, TRUTH
from pytest_reviewbench.curate.canary import CANARY
from pytest_reviewbench.curate.candidate import Candidate, is_open
from pytest_reviewbench.curate.truth_lint import CLASSES
from pytest_reviewbench.model import SEVERITIES, Source

ASKED = {
    "licence": "the licence of the code (SPDX)",
    "upstream": "the address of its project",
    "category": "the kind of bug, in a word or two",
    "symptom": "what users see, without saying why",
    "bug": "what is wrong and why, for people and judges",
    "example": "one sentence that names the bug, as a good reviewer would write it",
    "why_clean": "what was read and tried to say that this change is harmless",
    "reference": "where the fix is described",
}

PROOF_PYTHON = '''"""Exit 1: the bug is there; 0: it is not; 2: this proof did not work."""

import os
import sys

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    # TODO: import here (a missing package must be exit 2), check that normal input works, then show the mechanism.
    raise NotImplementedError


try:
    code = 1 if bug_present(sys.argv[1]) else 0
except BaseException as error:
    print(f"{type(error).__name__}: {error}", file=sys.stderr)
    code = 2
sys.stderr.flush()
os._exit(code)
'''
PROOF_JAVASCRIPT = """// Exit 1: the bug is there; 0: it is not; 2: this proof did not work.
const path = require("node:path");

function bugPresent(root) {
  // TODO: require(path.join(root, ...)) here, check that normal input works, then show the mechanism.
  throw new Error("not written yet");
}

let code = 2;
try {
  code = bugPresent(path.resolve(process.argv[2])) ? 1 : 0;
} catch (error) {
  console.error(String(error));
}
process.exit(code);
"""


def case_documents(
    candidate: Candidate, source: Source | None, lang: str, files: Sequence[str], place: tuple[int, int] | None
) -> dict[str, bytes]:
    """`meta.json`, `ground-truth.json` and, where the proof is open, a beginning of one.

    `files` are those of the change; `place` the lines of the bug in the first of them, where they are known.
    """
    bugs = [] if candidate.clean else [_bug(candidate, files, place)]
    found = {
        META: _pretty(_meta(candidate, source, lang, bugs)),
        TRUTH: _pretty({"canary": CANARY, "matcher_version": 1, "bugs": bugs}),
    }
    if not candidate.clean and is_open(candidate.proof):
        script = lang in ("javascript", "typescript")
        name, sign, text = ("proof.js", "//", PROOF_JAVASCRIPT) if script else ("proof.py", "#", PROOF_PYTHON)
        found[name] = f"{sign} {CANARY}\n{text}".encode()
    return found


def is_skeleton(candidate: Candidate) -> bool:
    """Is anything open without which there is no case?"""
    needed = [candidate.why_clean] if candidate.clean else [candidate.bug, candidate.match, candidate.example]
    return any(map(is_open, needed))


def severity_of(candidate: Candidate) -> str | None:
    """The severity in our words, or None: not known."""
    word = (candidate.severity or "").lower()
    word = SEVERITY_WORDS.get(word, word)
    return word if word in SEVERITIES else None


def _bug(candidate: Candidate, files: Sequence[str], place: tuple[int, int] | None) -> dict[str, Any]:
    bug = {
        "id": "b1",
        "file": candidate.primary_file or files[0],
        "bug": _text(candidate.bug, "bug"),
        # Both begin alike, because a match must accept its example.
        "match": OPEN if is_open(candidate.match) else candidate.match,
        "example": _text(candidate.example, "example"),
        "severity": severity_of(candidate),
        "category": _text(candidate.category, "category"),
        **({"line": place[0], "end_line": place[1]} if place else {}),
    }
    return {key: value for key, value in bug.items() if value is not None}


def _meta(
    candidate: Candidate, source: Source | None, lang: str, bugs: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    class_ = candidate.class_ if candidate.class_ in CLASSES else None
    meta = {
        "licence": _text(candidate.licence, "licence"),
        "upstream": _text(candidate.upstream_url or candidate.url, "upstream"),
        "lang": lang,
        "label": "clean" if candidate.clean else _text(candidate.category, "category"),
        "class": class_,
        "symptom": None if candidate.clean else _text(candidate.symptom, "symptom"),
        "reference": _text(candidate.reference, "reference"),
        "why_clean": _text(candidate.why_clean, "why_clean") if candidate.clean else None,
        "published": None if is_open(candidate.published) else candidate.published,
        "proof_needs": list(candidate.proof_needs) or None,
        "analyser": _analysers(candidate) or None,
        "also_true": _also_true(candidate) or None,
        "open": list(_open(candidate, class_, bugs)) if is_skeleton(candidate) else None,
        "source": None if source is None else _source(source),
    }
    return {key: value for key, value in meta.items() if value is not None}


def _open(candidate: Candidate, class_: str | None, bugs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What a skeleton asks for beside its open fields: keys that can hold no TODO. To be deleted one by one."""
    if is_open(candidate.published):
        yield f"{OPEN}: published: when the fix came out, as 2025-11-03, 2025-11 or 2025"
    if candidate.clean:
        return
    if class_ is None:
        yield f"{OPEN}: class: {', '.join(CLASSES)}"
    for bug in bugs:
        if "severity" not in bug:
            yield f"{OPEN}: {TRUTH}: severity: {', '.join(SEVERITIES)}"
        if "line" not in bug:
            yield f"{OPEN}: {TRUTH}: line and end_line, in the file as the change leaves it"
        if bug["match"] == OPEN:
            yield f"{OPEN}: {TRUTH}: match: a regex that a finding's text must satisfy to name the bug"
    if is_open(candidate.proof):
        yield f"{OPEN}: write the proof"


def _text(given: str | None, name: str) -> str:
    return given or f"{OPEN}: {ASKED[name]}"


def _analysers(candidate: Candidate) -> list[dict[str, Any]]:
    given = candidate.analyser
    tables = [] if given is None else [given] if isinstance(given, Mapping) else list(given)
    tables += [also for table in tables for also in table.get("also", ()) if isinstance(also, dict)]
    keys = ("tool", "rule", "message", "line")
    return [{key: table[key] for key in keys if key in table} for table in tables]


def _also_true(candidate: Candidate) -> list[str]:
    given = candidate.notes.get("other_truths_in_files", ())
    return [text for text in given if isinstance(text, str)] if isinstance(given, list) else []


def _source(source: Source) -> dict[str, Any]:
    """As people write it: no nulls, what is pinned before what is shown."""
    plain = msgspec.to_builtins(source)
    order = ("ecosystem", "package", "url", "buggy", "fixed", "before", "files", "mode")
    pins = ("version", "filename", "commit", "sha256")
    return {
        key: {name: plain[key][name] for name in pins if plain[key][name] is not None}
        if isinstance(plain[key], dict)
        else plain[key]
        for key in order
        if plain[key] is not None
    }


def _pretty(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
